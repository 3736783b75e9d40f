// How signals end the program: as they end any other, but with no partial file left behind.
#pragma once

namespace fakeprop::cli {

// For the whole process. A closed pipe and a limit on the size of files show as failed writes.
void SetUpSignals();

// From now on Ctrl-C ends the program whatever it is doing. Z3 has a handler of its own while it answers a question,
// which gives up the question and goes on; so a thread of ours takes the signal.
void TakeInterruptsInAThread();

}  // namespace fakeprop::cli
