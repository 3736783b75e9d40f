"""Runs of fakeprop in the checks beside this file, and their command line."""
import argparse, json, subprocess, tempfile

TIMEOUT = 600  # seconds


def run(*command):
    """Exit status, stdout and stderr of a command. Its parts may be of any type."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT)
    return done.returncode, done.stdout, done.stderr


def write_json(path, content):
    with open(path, "w") as file:
        json.dump(content, file)


def read_json(path):
    with open(path) as file:
        return json.load(file)


def run_checker(description, checker_class, points):
    """Has a checker of this class check each GRAPH of the command line, and prints what is wrong. Returns the status.

    A checker is made of the arguments and a folder for its files. `check` takes a graph; `wrong` and `tally` are the outcome.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--fakeprop", required=True)
    parser.add_argument("--points", type=int, default=points)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checker = checker_class(args, folder)
        for graph in args.graphs:
            checker.check(graph)
    for wrong in checker.wrong:
        print("wrong: " + wrong)
    print(", ".join(f"{k} {v}" for k, v in sorted(checker.tally.items())) + f"; wrong {len(checker.wrong)}")
    return 1 if checker.wrong else 0
