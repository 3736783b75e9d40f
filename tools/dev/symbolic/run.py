"""Runs of fakeprop in the checks beside this file."""
import json, subprocess

TIMEOUT = 600  # seconds


def run(*command):
    """Exit status, stdout and stderr of a command, whose parts are made text."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT)
    return done.returncode, done.stdout, done.stderr


def write_json(path, content):
    with open(path, "w") as file:
        json.dump(content, file)


def read_json(path):
    with open(path) as file:
        return json.load(file)
