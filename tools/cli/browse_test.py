#!/usr/bin/env python3
"""Runs `fakeprop show --interactive` in a terminal of its own, presses keys, and reads what is drawn.

    browse_test.py FAKEPROP
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import unittest

ROOT = pathlib.Path(os.environ.get("TEST_SRCDIR", pathlib.Path(__file__).resolve().parents[2]), os.environ.get("TEST_WORKSPACE", "."))
FAKEPROP = os.path.abspath(sys.argv.pop(1))
COLUMNS, LINES = 120, 30
MOVE = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[H|\x1b\[2?J|\x1b[\[(][?0-9;]*[a-zA-Z=>]|\x1b[=>]|\x0f")


class Terminal:
    """A terminal with the program in it. Keeps the screen as lines of text."""

    def __init__(self, graph):
        self.child, self.tty = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
            os.environ["TERM"] = "xterm"
            os.execv(FAKEPROP, [FAKEPROP, "show", "-i", str(graph)])
        self.screen = [[" "] * COLUMNS for _ in range(LINES)]
        self.cursor = 0, 0

    def write(self, text):
        os.write(self.tty, text.encode())

    # Until the text is on the screen.
    def wait_for(self, text):
        deadline = time.monotonic() + 20
        while text not in self.text():
            if not select.select([self.tty], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} does not come:\n{self.text()}")
            try:
                self.draw(os.read(self.tty, 65536).decode(errors="replace"))
            except OSError:
                raise AssertionError(f"it ended before {text!r}:\n{self.text()}") from None

    def draw(self, output):
        at = 0
        row, column = self.cursor
        while at < len(output):
            move = MOVE.match(output, at)
            if move:
                if move[1]:
                    row, column = int(move[1]) - 1, int(move[2]) - 1
                elif "J" in move[0]:
                    self.screen = [[" "] * COLUMNS for _ in range(LINES)]
                at = move.end()
            else:
                if row < LINES and column < COLUMNS and output[at] >= " ":
                    self.screen[row][column] = output[at]
                column += 1
                at += 1
        self.cursor = row, column

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.screen)

    def close(self):
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        os.close(self.tty)
        return status


class Browse(unittest.TestCase):
    def test_modules_unfold_nodes_are_found(self):
        terminal = Terminal(ROOT / "testdata/cli/graphs/small.json")
        terminal.wait_for("q leaves")
        self.assertIn("+ block", terminal.text())
        self.assertNotIn("%relu", terminal.text())
        terminal.write("/RELU\r")
        terminal.wait_for("%relu  torch.ops.aten.relu")
        self.assertIn("- block", terminal.text())
        terminal.wait_for("f32[2, 7] on cpu")
        terminal.write("/nowhere\r")
        terminal.wait_for("no node has `nowhere`")
        terminal.write("\x1b[Ah")  # up, and to the module
        terminal.write("h")  # folds it
        terminal.wait_for("+ block")
        self.assertNotIn("%relu", terminal.text())
        terminal.write("q")
        self.assertEqual(terminal.close(), 0)

    def test_a_failed_node_says_why(self):
        terminal = Terminal(ROOT / "testdata/cli/graphs/mismatch.json")
        terminal.wait_for("q leaves")
        terminal.write("/mm\r")
        terminal.wait_for("FP3001")
        terminal.write("\x03")
        self.assertEqual(terminal.close(), 1)

    def test_needs_a_terminal(self):
        ran = subprocess.run([FAKEPROP, "show", "-i", ROOT / "testdata/cli/graphs/small.json"], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False, start_new_session=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("`--interactive` needs a terminal", ran.stderr)


if __name__ == "__main__":
    unittest.main()
