#!/usr/bin/env python3
"""compare_speed.py LIST BEFORE AFTER: compares the speed of two builds on one machine.

    scripts/compare_speed.py cuda|cpu|cpu16 BEFORE AFTER [--rounds N] [--seconds N] [--only TEXT] [--json FILE]

BEFORE and AFTER are build folders, with the benchmarks in bench/. LIST names the benchmarks: tests/speed/LIST.txt holds one
command a line. In each of 3 rounds every command runs with BEFORE and AFTER, in the opposite order in every second round.
Each command writes records, see bench/README.md. The time of a record is the smallest of its medians over the rounds, because
other load only lengthens times. Prints the records whose ratio AFTER / BEFORE is above 1.05, and the geometric mean and the
largest ratio for each benchmark and for all. --seconds: the limit after which no further round or command begins; a record
that one build lacks is left out and counted. Exit code 1: the geometric mean is above 1.02, or a ratio is above 1.05; 2: a program
of both builds loads the same library.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from compare_builds import library_of

KEYS = ("bench", "operation", "matrix", "what", "type", "columns", "layout")
TIMES = ("median_ms", "update_solve_ms", "cycle_ms")


def environment_of(build):
    return dict(os.environ, LD_LIBRARY_PATH=build + ":" + os.environ.get("LD_LIBRARY_PATH", ""))


def library_of_benchmark(build, name):
    return library_of(os.path.join(build, "bench", name), environment_of(build))


def run(build, command):
    """The times of one run: a dictionary from a record's name to milliseconds."""
    program = os.path.join(build, "bench", command[0])
    environment = environment_of(build)
    output = subprocess.run([program] + command[1:], env=environment, capture_output=True, text=True)
    if output.returncode != 0:
        print(f"{program} {' '.join(command[1:])}: exit code {output.returncode}\n{output.stderr[-400:]}", file=sys.stderr)
    times = {}
    for line in output.stdout.splitlines():
        if line.startswith("{"):
            record = json.loads(line)
            name = " ".join(str(record[key]) for key in KEYS if record.get(key) is not None)
            times.update({f"{name} {key}": record[key] for key in TIMES if record.get(key)})
    return times


def measure(commands, builds, rounds, seconds):
    """Per build the least time of each record."""
    best, begin = ({}, {}), time.monotonic()
    for turn in range(rounds):
        for command in commands:
            if time.monotonic() - begin > seconds:
                return best
            for b in (0, 1) if turn % 2 == 0 else (1, 0):
                for name, milliseconds in run(builds[b], command).items():
                    best[b][name] = min(milliseconds, best[b].get(name, math.inf))
    return best


def report(before, after):
    """Prints the comparison; whether AFTER is as fast as BEFORE."""
    ratios = {name: after[name] / before[name] for name in before if name in after}
    groups = sorted({name.split()[0] for name in ratios}) + [""]
    for name, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > 1.05:
            print(f"{ratio:6.3f}  {before[name]:10.4f} -> {after[name]:10.4f} ms  {name}")
    for group in groups:
        some = [ratio for name, ratio in ratios.items() if name.startswith(group)]
        if some:
            mean = math.exp(sum(map(math.log, some)) / len(some))
            print(f"{group or 'all':20} {len(some):4} times, geometric mean {mean:.4f}, largest {max(some):.3f}")
    lost = len(before) + len(after) - 2 * len(ratios)
    if lost:
        print(f"{lost} records have no counterpart")
    return bool(ratios) and mean <= 1.02 and max(ratios.values()) <= 1.05


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--only", default="", help="commands that contain this text")
    parser.add_argument("--json", help="a file for all times")
    options = parser.parse_args()
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(top, "tests", "speed", options.list + ".txt")) as lines:
        commands = [line.split() for line in lines if line.strip() and line[0] != "#" and options.only in line]
    for name in sorted({command[0] for command in commands}):
        library = library_of_benchmark(options.before, name)
        if library == library_of_benchmark(options.after, name):
            parser.error(f"{name} of both builds loads {library}: give two builds, each in a folder of its own")
    before, after = measure(commands, (options.before, options.after), options.rounds, options.seconds)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"before": before, "after": after}, file, indent=1)
    sys.exit(0 if report(before, after) else 1)


main()
