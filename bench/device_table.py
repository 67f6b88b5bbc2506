#!/usr/bin/env python3
"""device_table.py RECORDS.jsonl [NAME]: the records of a whole run of run_device.sh into bench/results/NAME/PROGRAM.json (NAME: h200), and the tables
between the marks of README.md."""
import json
import math
import pathlib
import subprocess
import sys
import time

top = pathlib.Path(__file__).resolve().parent.parent
results = top / "bench" / "results" / (sys.argv[2] if len(sys.argv) > 2 else "h200")
commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
records = [json.loads(line) for line in open(sys.argv[1])]
for r in records:
    r["commit"], r["date"] = r.get("commit", commit), r.get("date", time.strftime("%Y-%m-%d"))
results.mkdir(parents=True, exist_ok=True)
by_program = {}
for r in records:
    if not r["matrix"].startswith("gen:"):
        r["matrix"] = pathlib.Path(r["matrix"]).name
    by_program.setdefault(r["bench"], []).append(r)
for program, written in by_program.items():
    (results / f"{program}.json").write_text(json.dumps(written, indent=1) + "\n")

products, solves, transposed, blocks = {}, {}, {}, {}
for r in by_program["bench_device"]:
    kind = r.get("operation", "solve" if "+" in r["what"] else "product")
    group = {"product": products, "solve": solves, "transposed": transposed, "block": blocks}[kind]
    label = {"solve": " " + r["what"].split(" ")[-1], "block": f" x {r['columns']}"}.get(kind, "")
    group.setdefault(r["matrix"] + label, []).append(r)


def rows(groups, which=lambda peer: True):
    for name, (own, *peers) in groups.items():
        best = min((p["median_ms"] for p in peers if which(p)), default=float("nan"))
        yield name.replace("gen:", ""), own["median_ms"], best, best / own["median_ms"], own["floor_ms"] / own["median_ms"]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def name_of(matrix):
    return matrix[4:] if matrix.startswith("gen:") else matrix.split(".")[0]


def beside_the_plain_peer(measured):
    """The lines of bench_krylov_device."""
    yield from ["", "One iteration in fp64, ms, beside the same method written by hand on cuSPARSE and cuBLAS (a call for each operation, scalars and the",
                "stopping test on the host, the fastest of its variants); both solve the system to the same residual:", "",
                "| system and method | gsolve | by hand | by hand / gsolve | share of copy | the variant by hand |", "|---|---|---|---|---|---|"]
    for r in measured:
        yield (f"| `{name_of(r['matrix'])} {r['what']}` | {r['median_ms']:.4f} | {r['peer_ms']:.4f} | {r['ratio']:.2f} | "
               f"{r['floor_ms'] / r['median_ms']:.2f} | {r['peer']} |")
        if "classical" in r["peer"] and r.get("peer_textbook_ms"):
            yield (f"| the same, modified Gram-Schmidt by hand | {r['median_ms']:.4f} | {r['peer_textbook_ms']:.4f} | "
                   f"{r['peer_textbook_ms'] / r['median_ms']:.2f} | {r['floor_ms'] / r['median_ms']:.2f} | |")


def mixed(measured):
    """The lines of bench_mixed: a record of cg, then one of refine."""
    pairs = list(zip(measured[0::2], measured[1::2]))
    yield from ["", "Whole solves in fp64 and by refinement of an fp32 method, to the same true residual (1e-10), ms without set-up:", "",
                "| system | cg | refine | cg / refine | inner iterations / those of cg |", "|---|---|---|---|---|"]
    for own, refined in pairs:
        yield (f"| `{name_of(own['matrix'])}` | {own['median_ms']:.2f} | {refined['median_ms']:.2f} | {refined['ratio']:.2f} | "
               f"{refined['products'] / own['products']:.2f} |")
    mean = geometric_mean([refined["ratio"] for _, refined in pairs])
    print(f"geometric mean of cg / refine over {len(pairs)} systems: {mean:.3f} ({pairs[0][1]['what']})")
    yield from ["", f"Geometric mean of cg / refine: {mean:.2f}, with `{pairs[0][1]['what']}`."]


lines = [f"{records[0]['device']}, {time.strftime('%B %Y')}; the copy within the device reaches {records[0]['copy_gbs']:.0f} GB/s.", "",
         "Product y = A x in fp64, ms, beside the better of cuSPARSE's two algorithms for compressed rows and beside the best of its other forms "
         "(coordinates, sliced ELL, blocks), all with their analysis done:", "",
         "| system | gsolve csr | cuSPARSE CSR | CSR / gsolve | its other forms | other / gsolve | share of copy |", "|---|---|---|---|---|---|---|"]
by_rows = list(rows(products, lambda p: "=csr" in p["what"]))
others = list(rows(products, lambda p: "=csr" not in p["what"]))
lines += [f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {o[2]:.3f} | {o[3]:.2f} | {s:.2f} |" for (n, a, b, q, s), o in zip(by_rows, others)]
mean = geometric_mean([q for _, _, _, q, _ in by_rows])
lines += ["", f"Geometric mean of cuSPARSE CSR / gsolve: {mean:.2f}."]
for title, group in (("The transposed product y = A'x:", transposed), ("Several columns at once:", blocks)):
    if group:
        lines += ["", title, "", "| system | gsolve | cuSPARSE | cuSPARSE / gsolve | share of copy |", "|---|---|---|---|---|"]
        lines += [f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {s:.2f} |" for n, a, b, q, s in rows(group)]
lines += ["", "One iteration in fp64, ms, with our product and with cuSPARSE's in the same loop:", "",
          "| system and method | gsolve | with cuSPARSE | ratio |", "|---|---|---|---|"]
lines += [f"| `{n}` | {a:.4f} | {b:.4f} | {q:.2f} |" for n, a, b, q, _ in rows(solves)]
plain = [r for r in by_program.get("bench_krylov_device", []) if r["peer"]]
if plain:
    lines += beside_the_plain_peer(plain)
if "bench_mixed" in by_program:
    lines += mixed(by_program["bench_mixed"])
readme = (top / "README.md").read_text()
begin, end = readme.index("<!-- gpu:begin -->"), readme.index("<!-- gpu:end -->")
(top / "README.md").write_text(readme[:begin] + "<!-- gpu:begin -->\n" + "\n".join(lines) + "\n" + readme[end:])
