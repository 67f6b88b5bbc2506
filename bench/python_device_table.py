#!/usr/bin/env python3
"""python_device_table.py [RECORDS | --check]: the table of docs/tutorials/python_cupy.md. RECORDS: what python_device.py printed; it
becomes bench/results/h200/python_device.json first. --check: says whether the page has the table of that file."""
import json
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
RECORD, PAGE = TOP / "bench/results/h200/python_device.json", TOP / "docs/tutorials/python_cupy.md"
BEGIN, END = "<!-- device:begin -->", "<!-- device:end -->"


def table(records):
    versions = next(r for r in records if r["what"] == "versions")
    times = [r for r in records if "residual" in r]
    cg = min(r["seconds"] for r in times if r["what"].startswith("cupyx cg"))
    rows = [f"| {r['what']} | {1e3 * r['seconds']:.1f} | {cg / r['seconds']:.2f} | {r['residual']:.1e} |" for r in times]
    return "\n".join(["| solver | ms | speed, cg of CuPy = 1 | true residual |", "|---|---|---|---|", *rows, "",
                      f"{times[0]['unknowns']} unknowns; {versions['device']}, pygsolve {versions['pygsolve']}, CuPy {versions['cupy']}. Set-up and "
                      "solve, unless the name says otherwise, in a kept GPU context, unless it says \"new context\"; medians."])


def page_with(text):
    page = PAGE.read_text()
    return page[:page.index(BEGIN)] + f"{BEGIN}\n{text}\n" + page[page.index(END):]


def main():
    option = sys.argv[1] if len(sys.argv) > 1 else ""
    if option and option != "--check":
        lines = pathlib.Path(option).read_text().splitlines()
        RECORD.write_text(json.dumps([json.loads(line) for line in lines if line.startswith("{")], indent=1) + "\n")
    page = page_with(table(json.loads(RECORD.read_text())))
    if option != "--check":
        PAGE.write_text(page)
    elif page != PAGE.read_text():
        sys.exit(f"{PAGE.name} has not the table of {RECORD.name}; run bench/python_device_table.py")


if __name__ == "__main__":
    main()
