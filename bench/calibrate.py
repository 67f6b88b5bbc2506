#!/usr/bin/env python3
"""calibrate.py: makes the constants of the cost model (matrix/cost_table.c) from recorded times.

usage: bench/calibrate.py NAME RECORDS.jsonl   write the output of bench_calibrate to results/NAME/calibrate.json, then the table
       bench/calibrate.py                      write the table from all records
       bench/calibrate.py --check              exit code 1 if the table does not agree with the records

RECORDS may be - for the standard input, so that one line calibrates a device:

    build/bench/bench_calibrate | bench/calibrate.py h200 -                                   a GPU
    GSOLVE_DEVICE=cpu,threads=1 build/bench/bench_calibrate | bench/calibrate.py cpu -        one core of a CPU

The table has one row for CPUs and one for GPUs, since choices must not depend on the number of threads or on the processor. The times of
iterations on a CPU are fitted to all records of one core together. The constants of a format, which are relative to csr, are the least
favourable ones of all records: a conversion that pays by them pays on each of these machines. The other constants are those of the first
record. matrix/cost_model.h says what each constant means; the functions below say how it follows from the times.
"""
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "matrix" / "cost_table.c"
# The rows of the table and their records. cpu: one core. cpu_epyc: four matrices of cpu/bench_formats.json.
ROWS = {"GS_COST_CPU": ("cpu", "cpu_epyc"), "GS_COST_CUDA": ("h200",)}
FORMATS = ("sell", "bsr", "bce", "segmented", "cut")
PRECONDS = ("jacobi", "ic", "amg")
FORMAT_MEMBERS = ("regular", "irregular", "cached", "wait", "build", "begin")
ITERATION_MEMBERS = ("entry", "row", "step", "setup_entry", "setup_row", "setup")
SCALARS = ("bandwidth", "launch", "far", "beyond", "tiles", "ordered", "on_chip")


# --- products ---------------------------------------------------------------------------------------------------------


class Products:
    """The times of products, by the name of the matrix and the format."""

    def __init__(self, records):
        self.records = {(r["name"], r["format"]): r for r in records if r["what"] == "product"}
        regular = self.records["regular", "csr"]
        self.on_cpu = regular["device"] == "cpu"
        self.bandwidth = regular["bytes"] / regular["ns"]
        self.launch = max(0, self.ns("small") - self.moving("small")) if self.has("small") else 0

    def has(self, name, format_="csr"):
        return (name, format_) in self.records

    def ns(self, name, format_="csr"):
        return self.records[name, format_]["ns"]

    def moving(self, name, format_="csr"):
        """The time of the bytes of a product at csr's bandwidth."""
        return self.records[name, format_]["bytes"] / self.bandwidth

    def wait(self, name, tiles=1):
        """What csr waits for x."""
        return max(1e-9, self.ns(name) - tiles * self.moving(name) - self.launch)

    def far(self, name):
        return self.wait(name) / self.records[name, "csr"]["entries"]

    def own_wait(self, name, format_, speed, tiles=1):
        """The wait of a format over that of csr."""
        own = self.ns(name, format_) - self.moving(name, format_) / speed - self.launch
        return max(0.1, own / self.wait(name, tiles))

    def speed(self, name, format_, wait=0):
        """The bandwidth of a format over that of csr in regular rows, if it waits so long."""
        rest = self.ns(name, format_) - wait - self.launch
        return max(0.2, self.moving(name, format_) / rest) if rest > 0 else 0.2

    def in_cache(self, name, format_):
        """The small matrices like the one of that name."""
        return [n for n in (name + "_cached", name + "_short") if self.has(n, format_)]

    def ratio(self, name, format_):
        """The bandwidth of a format over that of csr with the same matrix."""
        return self.moving(name, format_) / self.moving(name) * (self.ns(name) - self.launch) / (self.ns(name, format_) - self.launch)

    def build(self, format_, name, small):
        """The conversion in products of csr and the ns that come on top for a small matrix.

        In a cache, and with short rows, it takes more products: the largest number counts."""
        sizes = [name, *(self.in_cache(name, format_) if self.on_cpu else [])]
        products = max(self.records[n, format_]["build_ns"] / self.ns(n) for n in sizes)
        begin = self.records[small, format_]["build_ns"] - products * self.ns(small) if self.has(small, format_) else 0
        return products, max(0, begin)

    def costs(self, format_):
        name = "blocks" if format_ == "bsr" else "regular"
        regular = self.speed(name, format_)
        wait = self.own_wait("far", format_, regular) if self.has("far", format_) else 1
        irregular = regular
        if self.has("uneven", format_):
            irregular = min(regular, self.speed("uneven", format_, wait * self.wait("uneven")))
        cached = min([self.ratio(n, format_) for n in self.in_cache(name, format_)], default=regular)
        build, begin = self.build(format_, name, "small")
        return dict(zip(FORMAT_MEMBERS, (regular, irregular, min(regular, cached), wait, build, begin)))

    def cut_costs(self):
        """Segments that cut and order rows, and the slowdown of csr there: on a GPU only."""
        if not self.has("long"):
            return 1, 1, dict.fromkeys(FORMAT_MEMBERS, 1)
        tiles = max(1, (self.ns("long") - self.launch) / self.moving("long"))
        speed = self.speed("long", "segmented")
        wait = self.own_wait("uneven", "segmented", speed, tiles)
        ordered = min(1, self.own_wait("irregular", "segmented", speed) / wait)
        build, begin = self.build("segmented", "long", "small_long")
        return tiles, ordered, dict(zip(FORMAT_MEMBERS, (speed, speed, speed, wait, build, begin)))


# --- iterations -------------------------------------------------------------------------------------------------------


def solve(rows):
    """The solution of a small system by elimination; None if it is singular. A row ends with its right-hand side."""
    rows = [list(row) for row in rows]
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < 1e-12:
            return None
        for i in range(len(rows)):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def fit(samples):
    """The a, b, c of 0 or more that fit a entries + b rows + c = ns best, by the sum of squares of the relative errors.

    Each subset of the three is fitted, and the best one without a negative number taken."""
    best, error = [0, 0, 0], float("inf")
    for subset in range(1, 8):
        used = [k for k in range(3) if subset >> k & 1]
        if len(used) > len(samples):
            continue
        scaled = [[(entries, rows, 1)[k] / ns for k in used] for entries, rows, ns in samples]
        size = [max(row[k] for row in scaled) for k in range(len(used))]
        scaled = [[value / size[k] for k, value in enumerate(row)] for row in scaled]
        scaled = [[*row, 1] for row in scaled]
        normal = [[sum(row[i] * row[j] for row in scaled) for j in range(len(used) + 1)] for i in range(len(used))]
        found = solve(normal)
        if not found or min(found) < 0:
            continue
        wrong = sum((sum(f * v for f, v in zip(found, row)) - 1) ** 2 for row in scaled)
        if wrong < 0.999 * error:
            best, error = [0, 0, 0], wrong
            for place, value, unit in zip(used, found, size):
                best[place] = value / unit
    return best


def iteration_costs(records, name, precond):
    chosen = [r for r in records if r["what"] == "iteration" and r["name"] == name and r["precond"] == precond]
    step = fit([(r["entries"], r["rows"], r["ns"]) for r in chosen])
    setup = fit([(r["entries"], r["rows"], r["setup_ns"]) for r in chosen])
    return dict(zip(ITERATION_MEMBERS, step + setup))


def all_iteration_costs(records):
    return {name: {p: iteration_costs(records, name, p) for p in PRECONDS} for name in ("plain", "blocks")}


# --- the table --------------------------------------------------------------------------------------------------------


def constants_of(records):
    """The constants of a device. A record `constants` holds them itself."""
    given = [r for r in records if r["what"] == "constants"]
    if given:
        return given[0]["constants"]
    products = Products(records)
    tiles, ordered, cut = products.cut_costs()
    far = products.far("far")
    costs = {"bandwidth": products.bandwidth, "launch": products.launch, "far": far, "tiles": tiles, "ordered": ordered}
    costs["beyond"] = products.far("beyond") if products.has("beyond") else far
    costs["on_chip"] = min((r["ns"] for r in records if r["what"] == "on_chip"), default=0)
    costs["format"] = {f: products.costs(f) for f in FORMATS[:-1]} | {"cut": cut}
    return costs | all_iteration_costs(records)


def number(value):
    return f"{float(f'{value:.4g}'):g}"


def group(costs, members):
    return "{" + ", ".join(number(costs[m]) for m in members) + "}"


def combine(all_records):
    """The constants of the first records, with the least favourable ones of each format and iterations fitted to all of one core."""
    all_costs = [constants_of(records) for records in all_records]
    costs = all_costs[0]
    for format_ in FORMATS:
        for member in FORMAT_MEMBERS:
            least = min if member in ("regular", "irregular", "cached") else max
            costs["format"][format_][member] = least(c["format"][format_][member] for c in all_costs)
    of_one_core = [r for records in all_records for r in records if r["machine"].endswith(" 1 thread")]
    if of_one_core:
        costs |= all_iteration_costs(of_one_core)
    return costs


def read(name):
    return json.loads(path_of(name).read_text())


def source(name):
    first = read(name)[0]
    text = f"{first['machine']}, {first['date']}, {first['commit']}: bench/results/{name}/calibrate.json"
    return text + (f"; {first['note']}" if "note" in first else "")


def initialisers(costs):
    lines = [f"        .{member} = {number(costs[member])}," for member in SCALARS]
    for title, members, kinds in (
        ("format", FORMAT_MEMBERS, FORMATS),
        ("plain", ITERATION_MEMBERS, PRECONDS),
        ("blocks", ITERATION_MEMBERS, PRECONDS),
    ):
        prefix = "GS_COST_" if title == "format" else "GS_"
        lines.append(f"        .{title} = {{")
        lines += [f"            [{prefix}{kind.upper()}] = {group(costs[title][kind], members)}," for kind in kinds]
        lines.append("        },")
    return lines


def row_of_table(row, names):
    costs = combine([read(name) for name in names])
    lines = [f"    [{row}] = {{", *(f"        /* {source(name)} */" for name in names), *initialisers(costs), "    },"]
    return "\n".join(lines)


def table():
    rows = [row_of_table(row, names) for row, names in ROWS.items()]
    return f"""/* cost_table.c: made by bench/calibrate.py from the records of bench_calibrate. Do not edit.
 *
 * format: {', '.join(FORMAT_MEMBERS)}
 * plain, blocks: {', '.join(ITERATION_MEMBERS)} */
#include "matrix/cost_model.h"

/* clang-format off */
const gs_device_costs gs_cost_table[GS_COST_DEVICES] = {{
{chr(10).join(rows)}
}};
"""


def path_of(name):
    return HERE / "results" / name / "calibrate.json"


def record(name, lines):
    top = HERE.parent
    commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    now = {"commit": commit, "date": time.strftime("%Y-%m-%d")}
    records = [json.loads(line) | now for line in lines if line.startswith("{")]
    if not records:
        sys.exit("calibrate.py: no records")
    path_of(name).parent.mkdir(exist_ok=True)
    path_of(name).write_text("[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")
    print("\n".join([source(name), *initialisers(constants_of(records))]))


def main(arguments):
    if arguments == ["--check"]:
        if TABLE.read_text() != table():
            sys.exit("matrix/cost_table.c does not agree with bench/results/*/calibrate.json: run bench/calibrate.py")
        return
    if len(arguments) not in (0, 2):
        sys.exit(__doc__)
    if arguments:
        name, source = arguments
        record(name, sys.stdin if source == "-" else pathlib.Path(source).read_text().splitlines())
    TABLE.write_text(table())


if __name__ == "__main__":
    main(sys.argv[1:])
