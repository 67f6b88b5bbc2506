#!/usr/bin/env python3
"""calibrate.py: makes the constants of the cost model (matrix/cost_table.c) from recorded times.

usage: bench/calibrate.py NAME RECORDS.jsonl   write the output of bench_calibrate to results/NAME/calibrate.json, then the table
       bench/calibrate.py                      write the table from all records
       bench/calibrate.py --check              exit code 1 if the table does not agree with the records

RECORDS may be - for the standard input, so that one line calibrates a device:

    build/bench/bench_calibrate | bench/calibrate.py h200 -                                   a GPU
    GSOLVE_DEVICE=cpu,threads=1 build/bench/bench_calibrate | bench/calibrate.py cpu -        one core of a CPU

The table has one row for CPUs and one for GPUs, since choices must not depend on the number of threads or on the processor. The times of
iterations on a CPU are fitted to all records of one core together. The constants of a format on a CPU, which are relative to csr, are the
least favourable ones of all records: a conversion that pays by them pays on each of these machines. The other constants are those of the
first record. On a GPU the constants of the formats are fitted to all matrices together. matrix/cost_model.h says what each constant means;
the functions below say how it follows from the times.
"""
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "matrix" / "cost_table.c"
MODEL = HERE.parent / "matrix" / "cost_model.c"
# The rows of the table and their records. cpu: one core. cpu_epyc: four matrices of cpu/bench_formats.json.
ROWS = {"GS_COST_CPU": ("cpu", "cpu_epyc"), "GS_COST_CUDA": ("h200",)}
# Constants that no record gives: docs/decisions/020-one-cost-table.md says why.
GIVEN = {"GS_COST_CUDA": "h200/iterations.json"}
FORMATS = ("sell", "bsr", "bce", "segmented", "cut")
PRECONDS = ("jacobi", "ic", "amg")
FORMAT_MEMBERS = ("regular", "irregular", "cached", "wait", "build", "entry", "begin")
ITERATION_MEMBERS = ("entry", "row", "step", "setup_entry", "setup_row", "setup")
CAREFUL = 1.25  # with it auto gains most in the recorded steps and conversions of the same matrices
UNUSED = dict.fromkeys(FORMAT_MEMBERS, 1) | {"entry": 0}
SCALARS = ("bandwidth", "launch", "far", "beyond", "tiles", "ordered", "on_chip")


# --- formats on a CPU -------------------------------------------------------------------------------------------------


class Products:
    """The times of products on a CPU, by the name of the matrix and the format."""

    def __init__(self, records):
        self.records = {(r["name"], r["format"]): r for r in records if r["what"] == "product"}
        regular = self.records["regular", "csr"]
        self.bandwidth = regular["bytes"] / regular["ns"]
        self.launch = max(0, self.ns("small") - self.moving("small")) if self.has("small") else 0

    def has(self, name, format_="csr"):
        return (name, format_) in self.records

    def ns(self, name, format_="csr"):
        return self.records[name, format_]["ns"]

    def moving(self, name, format_="csr"):
        """The time of the bytes of a product at csr's bandwidth."""
        return self.records[name, format_]["bytes"] / self.bandwidth

    def wait(self, name):
        """What csr waits for x."""
        return max(1e-9, self.ns(name) - self.moving(name) - self.launch)

    def far(self, name):
        return self.wait(name) / self.records[name, "csr"]["entries"]

    def own_wait(self, name, format_, speed):
        """The wait of a format over that of csr."""
        own = self.ns(name, format_) - self.moving(name, format_) / speed - self.launch
        return max(0.1, own / self.wait(name))

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
        sizes = [name, *self.in_cache(name, format_)]
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
        return dict(zip(FORMAT_MEMBERS, (regular, irregular, min(regular, cached), wait, build, 0, begin)))

    def constants(self):
        """A CPU does not wait longer for x beyond any cache, and csr does not cut rows there."""
        far = self.far("far")
        costs = {"bandwidth": self.bandwidth, "launch": self.launch, "far": far, "beyond": far, "tiles": 1, "ordered": 1}
        costs["format"] = {f: self.costs(f) for f in FORMATS[:-1]} | {"cut": UNUSED}
        return costs

# --- formats on a GPU -------------------------------------------------------------------------------------------------


def limit(name):
    """A parameter in the head of matrix/cost_model.c."""
    text = re.search(rf"#define {name} +(.*)", MODEL.read_text())[1].strip("()")
    if "<<" not in text:
        return float(text)
    value, shift = text.split("<<")
    return int(value) << int(shift)


class Matrix:
    """What matrix/cost_model.c knows of a matrix on a GPU, and its times. The letters are those of the comment there."""

    def __init__(self, records):
        self.records = {r["format"]: r for r in records}
        r = self.r = self.records["csr"]
        x, share = 8 * r["columns"], max(r["irregular"], r["far"])
        far = share if x > limit("NEAR_CACHE") else 0
        self.entries, self.rows = r["entries"], r["rows"]
        self.vectors, self.csr = x + 8 * self.rows, 12 * self.entries + 4 * self.rows
        self.index = 4 - 2 * r["narrow"] * (1 - far)
        self.far, self.is_beyond = far * self.entries, x > limit("L2_CACHE")
        self.block = max([b for b in range(2, 7) if r["block"][b] >= limit("FULL")], default=1)
        self.has_long = r["longest_row"] > 3 * self.entries / max(1, self.rows) + 16
        self.is_regular = not self.has_long and r["empty_rows"] <= self.rows // 4
        self.cached = self.csr + 3 * self.vectors < limit("FITS_CUDA")
        self.is_tiny = self.csr + self.vectors < limit("LEAST_BYTES")
        self.is_cut = not self.is_regular or r["irregular"] >= limit("IRREGULAR")
        self.ordered = r["irregular"] if r["irregular"] >= limit("IRREGULAR") else 0

    def moved(self, format_):
        """B: the bytes of a product in the format, with x and y."""
        b, filled = self.block, self.r["filled32"]
        form = {
            "csr": self.csr,
            "sell": filled * (8 + self.index),
            "bsr": self.entries * (8 + 4 / (b * b)) + 4 * self.rows / b,
            "bce": self.entries * (8 + self.index) + 4 * self.rows,
            "segmented": 12 * min(filled, 1.1 * self.entries),
            "cut": self.csr,
        }
        return form[format_] + self.vectors

    def applies(self, format_):
        """Slices with much padding sort their rows, which the model does not know: it never takes them."""
        if format_ == "sell" and self.r["filled32"] > 1.5 * self.entries:
            return False
        return format_ in self.records and not self.is_tiny and (format_ != "bsr" or self.block > 1)

    def ns(self):
        return self.r["ns"]

    def gain(self, format_):
        """ns that a product gains in a step of cg, or alone where no step was measured."""
        time = "step_ns" if self.r["step_ns"] > 0 and self.records[format_]["step_ns"] > 0 else "ns"
        return self.r[time] - self.records[format_][time]

    def scale(self):
        """Errors of a gain count relative to a step."""
        return max(self.r["step_ns"], self.r["ns"])


class Fit:
    """The constants that reproduce the times of all matrices best."""

    def __init__(self, records):
        products = [r for r in records if r["what"] == "product"]
        names = dict.fromkeys(r["matrix"] for r in products)
        self.matrices = [Matrix([r for r in products if r["matrix"] == name]) for name in names]
        inverse, tiled, self.far, self.beyond, self.launch = fit([self.csr_sample(m) for m in self.matrices if m.is_tiny or not m.cached])
        self.bandwidth, self.tiles = 1 / inverse, max(1, tiled / inverse)

    @staticmethod
    def csr_sample(m):
        moved = m.moved("csr")
        features = (0 if m.has_long else moved, moved if m.has_long else 0, 0 if m.is_beyond else m.far, m.far if m.is_beyond else 0, 1)
        return features, m.ns(), m.ns()

    def wait(self, m):
        return m.far * (self.beyond if m.is_beyond else self.far)

    def csr(self, m):
        """ns of a product in csr by the model."""
        return (self.tiles if m.has_long else 1) * m.moved("csr") / self.bandwidth + self.wait(m) + self.launch

    def target(self, m, format_):
        """ns of a product in the format, if csr takes as long as by the model; without the launch."""
        return self.csr(m) - m.gain(format_) - self.launch

    def of(self, kind):
        """The matrices that the constants of this format, or of segments that are cut, are fitted to."""
        name = "segmented" if kind == "cut" else kind
        return [m for m in self.matrices if m.applies(name) and (name != "segmented" or m.is_cut == (kind == "cut"))]

    def fit_products(self, kind):
        """The speed in regular rows, in irregular rows and in a cache; the wait, and its factor where rows are ordered."""
        name, is_cut = ("segmented", True) if kind == "cut" else (kind, False)
        samples, cached = [], []
        for m in self.of(kind):
            moved, wait, one_speed = m.moved(kind) / self.bandwidth, self.wait(m), is_cut or m.is_regular
            ordered = m.ordered if is_cut else 0
            features = (moved if one_speed else 0, 0 if one_speed else moved, wait * (1 - ordered), wait * ordered)
            if m.cached:
                cached.append(((moved,), self.target(m, name) - wait, m.scale()))
            else:
                samples.append((features, self.target(m, name), m.scale()))
        regular, irregular, wait, ordered = fit_careful(samples)
        slowest = max(regular, irregular, *fit_careful(cached)) if cached else regular
        return (1 / regular, 1 / (irregular or regular), 1 / slowest, wait), min(1, ordered / wait) if wait else 1

    def fit_build(self, kind):
        """ns of a conversion for each entry, and constant."""
        builds = [(m.entries, m.records["segmented" if kind == "cut" else kind]["build_ns"]) for m in self.of(kind)]
        return fit_careful([((entries, 1), ns, ns) for entries, ns in builds])

    def constants(self):
        costs = {"bandwidth": self.bandwidth, "launch": self.launch, "far": self.far, "beyond": self.beyond, "tiles": self.tiles}
        costs["format"] = {}
        for kind in FORMATS:
            products, costs["ordered"] = self.fit_products(kind)  # cut comes last
            costs["format"][kind] = dict(zip(FORMAT_MEMBERS, (*products, 0, *self.fit_build(kind))))
        return costs


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
    """The numbers of 0 or more whose products with the features of each sample add up to its target best.

    A sample is its features, its target and its scale: the errors are relative to the scale, and the sum of their squares is least. Each
    subset of the numbers is fitted, and the best one without a negative number taken."""
    count = len(samples[0][0]) if samples else 0
    best, error = [0] * count, float("inf")
    for subset in range(1, 1 << count):
        used = [k for k in range(count) if subset >> k & 1]
        if len(used) > len(samples):
            continue
        scaled = [[features[k] / scale for k in used] for features, target, scale in samples]
        size = [max(abs(row[k]) for row in scaled) or 1 for k in range(len(used))]
        scaled = [[*(value / size[k] for k, value in enumerate(row)), s[1] / s[2]] for row, s in zip(scaled, samples)]
        normal = [[sum(row[i] * row[j] for row in scaled) for j in range(len(used) + 1)] for i in range(len(used))]
        found = solve(normal)
        if not found or min(found) < 0:
            continue
        wrong = sum((sum(f * v for f, v in zip(found, row)) - row[-1]) ** 2 for row in scaled)
        if wrong < 0.999 * error:
            best, error = [0] * count, wrong
            for place, value, unit in zip(used, found, size):
                best[place] = value / unit
    return best


def fit_careful(samples):
    """As fit, but a sum below its target counts CAREFUL times: auto then expects a gain that does not come."""
    heavy = [1] * len(samples)
    for _ in range(50):
        found = fit([(features, target, scale / h) for (features, target, scale), h in zip(samples, heavy)])
        sums = [sum(f * v for f, v in zip(features, found)) for features, _, _ in samples]
        before, heavy = heavy, [CAREFUL if total < target else 1 for total, (_, target, _) in zip(sums, samples)]
        if heavy == before:
            break
    return found


def iteration_costs(records, name, precond):
    chosen = [r for r in records if r["what"] == "iteration" and r["name"] == name and r["precond"] == precond]
    step, setup = (fit([((r["entries"], r["rows"], 1), r[time], r[time]) for r in chosen]) for time in ("ns", "setup_ns"))
    return dict(zip(ITERATION_MEMBERS, step + setup))


def all_iteration_costs(records):
    return {name: {p: iteration_costs(records, name, p) for p in PRECONDS} for name in ("plain", "blocks")}


# --- the table --------------------------------------------------------------------------------------------------------


def constants_of(records):
    """The constants of a device."""
    costs = (Products if records[0]["device"] == "cpu" else Fit)(records).constants()
    costs["on_chip"] = min((r["ns"] for r in records if r["what"] == "on_chip"), default=0)
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
    sources = [source(name) for name in names]
    if row in GIVEN:
        given = json.loads((HERE / "results" / GIVEN[row]).read_text())
        costs |= given["constants"]
        sources.append(f"{', '.join(given['constants'])}: {given['date']}, {given['commit']}: bench/results/{GIVEN[row]}; {given['note']}")
    return "\n".join([f"    [{row}] = {{", *(f"        /* {text} */" for text in sources), *initialisers(costs), "    },"])


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
