"""python -m pygsolve: the command gsolve."""
import os
import sys
from pathlib import Path


def main() -> None:
    command = Path(__file__).with_name("bin") / "gsolve"
    os.execv(command, ["gsolve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
