#!/usr/bin/env python3
"""device_table.py [RECORDS.jsonl [NAME]]: writes the tables between the marks of docs/benchmarks/NAME.md (h200) from the records in
bench/results/NAME. RECORDS, of a whole run of run_device.sh, are first written there, a file for each program."""
import json
import math
import pathlib
import subprocess
import sys
import time

top = pathlib.Path(__file__).resolve().parent.parent
results = top / "bench" / "results" / (sys.argv[2] if len(sys.argv) > 2 else "h200")
page = top / "docs" / "benchmarks" / f"{results.name}.md"


def write_records(path):
    """One file for each program; a record without commit and date gets those of now."""
    commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    by_program = {}
    for line in open(path):
        r = json.loads(line)
        r["commit"], r["date"] = r.get("commit", commit), r.get("date", time.strftime("%Y-%m-%d"))
        if not r["matrix"].startswith("gen:"):
            r["matrix"] = pathlib.Path(r["matrix"]).name
        by_program.setdefault(r["bench"], []).append(r)
    results.mkdir(parents=True, exist_ok=True)
    for program, written in by_program.items():
        (results / f"{program}.json").write_text(json.dumps(written, indent=1) + "\n")


def read_records(file):
    """The records of a file, each of which knows the file; none if there is no such file."""
    path = results / file
    return [{**r, "file": file} for r in json.loads(path.read_text())] if path.exists() else []


def sources(records):
    """Of which files and commits they are."""
    found = {}
    for r in records:
        found.setdefault(r["file"], set()).add(r["commit"])
    return "; ".join(f"`{file}` of {', '.join(sorted(commits))}" for file, commits in sorted(found.items()))


def dates(records):
    """The first and the last."""
    found = sorted({r["date"] for r in records})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def kind_of(r):
    return r.get("operation", "solve" if "+" in r["what"] else "product")


def groups(records, kind):
    """{system: records} of one kind in fp64, each system by the file that measured it last."""
    found = {}
    for r in records:
        if kind_of(r) == kind and r.get("type", "f64") == "f64" and r["matrix"].startswith("gen:"):
            label = r["matrix"] + (" " + r["what"].split(" ")[-1] if kind == "solve" else "")
            found.setdefault(label, {}).setdefault((r["date"], r["file"]), []).append(r)
    return {label: by_file[max(by_file)] for label, by_file in found.items()}


def is_vendor(r):
    return r["what"].startswith("cusparse")


def rows(found, which=lambda peer: True):
    """csr beside the best of cuSPARSE's forms."""
    for name, records in found.items():
        own = next((r for r in records if r["what"].split(" ")[0] == "csr"), None)
        peers = [r["median_ms"] for r in records if is_vendor(r) and which(r)]
        if own and peers:
            best = min(peers)
            yield name.replace("gen:", ""), own["median_ms"], best, best / own["median_ms"], own["floor_ms"] / own["median_ms"]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def name_of(matrix):
    return matrix[4:] if matrix.startswith("gen:") else matrix.split(".")[0]


def beside_the_plain_peer(measured):
    """The lines of bench_krylov_device."""
    yield from ["", "**One iteration**, fp64, ms, beside the same method written by hand with cuSPARSE and cuBLAS: a call for each operation, scalars and the",
                f"convergence test on the host, the fastest of several variants. Both solve the system to the same residual ({sources(measured)}).", "",
                "| system and method | gsolve | by hand | by hand / gsolve | share of copy | the variant by hand |", "|---|---|---|---|---|---|"]
    for r in measured:
        yield (f"| `{name_of(r['matrix'])} {r['what']}` | {r['median_ms']:.4f} | {r['peer_ms']:.4f} | {r['ratio']:.2f} | "
               f"{r['floor_ms'] / r['median_ms']:.2f} | {r['peer']} |")
        if "classical" in r["peer"] and r.get("peer_textbook_ms"):
            yield (f"| `{name_of(r['matrix'])} {r['what']}`, by hand with modified Gram-Schmidt | {r['median_ms']:.4f} | {r['peer_textbook_ms']:.4f} | "
                   f"{r['peer_textbook_ms'] / r['median_ms']:.2f} | {r['floor_ms'] / r['median_ms']:.2f} | |")


def mixed(measured):
    """The lines of bench_mixed: a record of cg, then one of refine."""
    pairs = list(zip(measured[0::2], measured[1::2]))
    yield from ["", "**Refinement**: whole solves by `cg` in fp64, and by `refine` with `cg` in fp32, to the same true residual (1e-10), ms without set-up "
                f"({sources(measured)}).", "",
                "| system | cg | refine | cg / refine | inner iterations / those of cg |", "|---|---|---|---|---|"]
    for own, refined in pairs:
        yield (f"| `{name_of(own['matrix'])}` | {own['median_ms']:.2f} | {refined['median_ms']:.2f} | {refined['ratio']:.2f} | "
               f"{refined['products'] / own['products']:.2f} |")
    mean = geometric_mean([refined["ratio"] for _, refined in pairs])
    print(f"geometric mean of cg / refine over {len(pairs)} systems: {mean:.3f} ({pairs[0][1]['what']})")
    yield from ["", f"Geometric mean of cg / refine: {mean:.2f}, with `{pairs[0][1]['what']}`."]


def columns(measured):
    """The lines of bench_spmm with 4 and 8 columns: the faster of the formats beside the best of cuSPARSE, row-major and column-major."""
    found = {}
    for r in measured:
        if r["columns"] in (4, 8) and r["peer"] and r["type"] == "f64":
            best = found.setdefault(f"{name_of(r['matrix'])} x {r['columns']}", {})
            if r["layout"] not in best or r["median_ms"] < best[r["layout"]]["median_ms"]:
                best[r["layout"]] = r
    yield from ["", f"**Several columns**, ms, the faster of the measured formats, x and y row-major and column-major ({sources(measured)}).", "",
                "| system | row-major | gsolve | cuSPARSE | ratio | column-major | gsolve | cuSPARSE | ratio |", "|---|---|---|---|---|---|---|---|---|"]
    for name, best in found.items():
        cells = [f"`{r['what']}` | {r['median_ms']:.3f} | {r['peer_ms']:.3f} | {r['peer_ms'] / r['median_ms']:.2f}" for r in (best["rows"], best["columns"])]
        yield f"| `{name}` | {' | '.join(cells)} |"


def assembly(measured):
    """The lines of bench_assembly: new values of a plan beside CUB's sort and reduction by key."""
    sorted_by_cub = {(r["matrix"], r["type"]): r["median_ms"] for r in measured if r["what"] == "sort"}
    yield from ["", f"**Assembly**: new values of a matrix from the triplets of finite elements, ms, beside CUB's sort and reduction by key ({sources(measured)}).",
                "", "| system | type | gsolve | CUB | CUB / gsolve | share of copy |", "|---|---|---|---|---|---|"]
    for r in measured:
        if r["what"] == "set_values":
            cub = sorted_by_cub.get((r["matrix"], r["type"]))
            cells = f"{cub:.3f} | {cub / r['median_ms']:.1f}" if cub else "not measured | "
            yield f"| `{r['matrix']}` | {r['type']} | {r['median_ms']:.3f} | {cells} | {r['share_of_copy']:.2f} |"


def tables():
    device, formats = read_records("bench_device.json"), read_records("bench_formats.json")
    products, transposed, solves = (groups(device + formats, kind) for kind in ("product", "transposed", "solve"))
    used = [r for found in products.values() for r in found]
    speeds = [r["copy_gbs"] for r in used]
    yield from [f"{used[0]['device']}, {dates(used)}. A copy within the device reaches {min(speeds):.0f} to {max(speeds):.0f} GB/s. Each heading names the "
                f"records in `bench/results/{results.name}/` and the commit that was measured.", "",
                "**Product y = A x**, fp64, ms: the format `csr` beside the better of cuSPARSE's two algorithms for compressed rows, and beside the best of its other "
                f"formats (coordinates, sliced ELL, blocks). All have their analysis done ({sources(used)}).", "",
                "| system | gsolve `csr` | cuSPARSE CSR | CSR / gsolve | other formats of cuSPARSE | other / gsolve | share of copy |", "|---|---|---|---|---|---|---|"]
    by_rows = list(rows(products, lambda p: "=csr" in p["what"]))
    others = {o[0]: o for o in rows(products, lambda p: "=csr" not in p["what"])}
    for n, a, b, q, s in by_rows:
        yield f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {others[n][2]:.3f} | {others[n][3]:.2f} | {s:.2f} |"
    yield from ["", f"Geometric mean of cuSPARSE CSR / gsolve: {geometric_mean([q for _, _, _, q, _ in by_rows]):.2f}.", "",
                f"**Transposed product y = A'x** ({sources([r for found in transposed.values() for r in found])}).", "",
                "| system | gsolve | cuSPARSE | cuSPARSE / gsolve | share of copy |", "|---|---|---|---|---|"]
    yield from (f"| `{n}` | {a:.3f} | {b:.3f} | {q:.2f} | {s:.2f} |" for n, a, b, q, s in rows(transposed))
    yield from columns(read_records("bench_spmm.json"))
    yield from ["", "**One iteration**, fp64, ms, with the product of `csr` and with that of cuSPARSE in the same loop "
                f"({sources([r for found in solves.values() for r in found])}).", "",
                "| system and method | gsolve | with cuSPARSE | ratio |", "|---|---|---|---|"]
    yield from (f"| `{n}` | {a:.4f} | {b:.4f} | {q:.2f} |" for n, a, b, q, _ in rows(solves))
    plain = [r for r in read_records("bench_krylov_device.json") if r["peer"]]
    if plain:
        yield from beside_the_plain_peer(plain)
    if read_records("bench_mixed.json"):
        yield from mixed(read_records("bench_mixed.json"))
    if read_records("bench_assembly.json"):
        yield from assembly(read_records("bench_assembly.json"))


if len(sys.argv) > 1:
    write_records(sys.argv[1])
text = page.read_text()
begin, end = text.index("<!-- gpu:begin -->"), text.index("<!-- gpu:end -->")
page.write_text(text[:begin] + "<!-- gpu:begin -->\n" + "\n".join(tables()) + "\n" + text[end:])
