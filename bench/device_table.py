#!/usr/bin/env python3
"""device_table.py RECORDS.jsonl [NAME]: the records of bench_device into bench/results/NAME/bench_device.json (NAME: h200), and the table
between the marks of README.md."""
import json
import math
import pathlib
import subprocess
import sys
import time

top = pathlib.Path(__file__).resolve().parent.parent
results = top / "bench" / "results" / (sys.argv[2] if len(sys.argv) > 2 else "h200") / "bench_device.json"
commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
records = [json.loads(line) for line in open(sys.argv[1])]
for r in records:
    r["commit"], r["date"] = r.get("commit", commit), r.get("date", time.strftime("%Y-%m-%d"))
results.parent.mkdir(parents=True, exist_ok=True)
results.write_text(json.dumps(records, indent=1) + "\n")

products, solves, transposed, blocks = {}, {}, {}, {}
for r in records:
    kind = r.get("operation", "solve" if "+" in r["what"] else "product")
    group = {"product": products, "solve": solves, "transposed": transposed, "block": blocks}[kind]
    label = {"solve": " " + r["what"].split(" ")[-1], "block": f" x {r['columns']}"}.get(kind, "")
    group.setdefault(r["matrix"] + label, []).append(r)


def rows(groups):
    for name, (own, *peers) in groups.items():
        best = min(p["median_ms"] for p in peers)
        yield name.replace("gen:", ""), own["median_ms"], best, best / own["median_ms"], own["floor_ms"] / own["median_ms"]


lines = [f"{records[0]['device']}, {time.strftime('%B %Y')}; the copy within the device reaches {records[0]['copy_gbs']:.0f} GB/s.", "",
         "Product y = A x in fp64, ms, beside the best of cuSPARSE's forms (compressed rows by either algorithm, coordinates, sliced ELL, "
         "blocks) with its analysis done:", "",
         "| system | gsolve | cuSPARSE | cuSPARSE / gsolve | share of copy |", "|---|---|---|---|---|"]
lines += [f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {s:.2f} |" for n, a, b, q, s in rows(products)]
mean = math.exp(sum(math.log(q) for _, _, _, q, _ in rows(products)) / len(products))
lines += ["", f"Geometric mean of the ratios: {mean:.2f}."]
for title, group in (("The transposed product y = A'x:", transposed), ("Several columns at once:", blocks)):
    if group:
        lines += ["", title, "", "| system | gsolve | cuSPARSE | cuSPARSE / gsolve | share of copy |", "|---|---|---|---|---|"]
        lines += [f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {s:.2f} |" for n, a, b, q, s in rows(group)]
lines += ["", "One iteration in fp64, ms, with our product and with cuSPARSE's in the same loop:", "",
          "| system and method | gsolve | with cuSPARSE | ratio |", "|---|---|---|---|"]
lines += [f"| `{n}` | {a:.4f} | {b:.4f} | {q:.2f} |" for n, a, b, q, _ in rows(solves)]
readme = (top / "README.md").read_text()
begin, end = readme.index("<!-- gpu:begin -->"), readme.index("<!-- gpu:end -->")
(top / "README.md").write_text(readme[:begin] + "<!-- gpu:begin -->\n" + "\n".join(lines) + "\n" + readme[end:])
