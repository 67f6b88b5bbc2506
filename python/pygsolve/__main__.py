"""python -m pygsolve: the command gsolve."""
import os
import sys

from pygsolve._report import COMMAND


def main() -> None:
    os.execv(COMMAND, ["gsolve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
