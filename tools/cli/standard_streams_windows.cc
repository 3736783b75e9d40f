#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include "tools/cli/standard_streams.h"

namespace fakeprop::cli {

void SetUpStandardStreams() {
  for (int stream : {0, 1, 2}) _setmode(stream, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  for (DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE console = GetStdHandle(which);
    DWORD mode = 0;
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

size_t TerminalWidth() {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info)) return 0;
  return static_cast<size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

}  // namespace fakeprop::cli
