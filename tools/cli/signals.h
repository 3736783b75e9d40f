// Lets signals end the program as usual, but without leaving a partial file.
#pragma once

namespace fakeprop::cli {

// Applies to the whole process. A closed pipe or a limit on the size of files becomes a failed write.
void SetUpSignals();

// From now on Ctrl-C always ends the program. While Z3 answers a question, it has a handler of its own that gives up
// the question and goes on. Therefore a thread of ours receives the signal.
void TakeInterruptsInAThread();

}  // namespace fakeprop::cli
