#!/usr/bin/env python3
"""formats_table.py RECORDS.jsonl [NAME]: what the records of run_formats.sh show, as Markdown. NAME, if given: writes them to
bench/results/NAME/bench_formats.json too (h200, cpu)."""
import json
import math
import pathlib
import subprocess
import sys
import time

REGULAR = ("poisson3d,", "poisson3d27,", "elasticity3d,", "band,", "poisson2d,", "tridiagonal,")
IRREGULAR = ("rmat,", "web,", "circuit,", "lp,")
MOST_PRODUCTS = {"bce": 15, "segmented": 8, "sell": 10, "speculative": 1}  # that a conversion may cost
CG_MS = {64: 0.0145, 128: 0.100, 256: 0.74}  # an iteration of cg + jacobi, poisson3d


def name_of(matrix):
    return matrix[4:] if matrix.startswith("gen:") else pathlib.Path(matrix).name.split(".")[0]


def kind_of(record):
    return record["what"].split(" ")[0].split(",")[0]


def is_vendor(record):
    return kind_of(record) == "cusparse"


def is_shown_apart(record):  # values held narrower than they are
    return "value=auto" in record["what"]


def best(records):
    return min(records, key=lambda r: r["median_ms"], default=None)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def groups(records):
    """{(matrix, type): records} in the order of the file."""
    found = {}
    for r in records:
        found.setdefault((r["matrix"], r["type"]), []).append(r)
    return found


def is_one_of(matrix, prefixes):
    return any((name_of(matrix) + ",").startswith(p) for p in prefixes)


def holds(yes):
    return "yes" if yes else "**no**"


def own_against_vendor(products):
    """Line 2: the best own format against the best of cuSPARSE."""
    for type_ in ("f64", "f32"):
        for title, generated in (("generated", True), ("real", False)):
            chosen = {k: v for k, v in groups(products).items() if k[1] == type_ and k[0].startswith("gen:") == generated}
            chosen = {k: v for k, v in chosen.items() if any(map(is_vendor, v)) and not all(map(is_vendor, v))}
            if not chosen:
                continue
            print(f"\n### 2. Best own format against cuSPARSE's best, {type_}, {title} systems\n")
            print("| system | own | ms | cuSPARSE | ms | cuSPARSE / own | floor / own | with value=auto |\n|---|---|---|---|---|---|---|---|")
            ratios = {}
            for (matrix, _), records in chosen.items():
                own = best(r for r in records if not is_vendor(r) and not is_shown_apart(r))
                vendor, narrow = best(filter(is_vendor, records)), best(filter(is_shown_apart, records))
                ratios[name_of(matrix)] = vendor["median_ms"] / own["median_ms"]
                print(f"| `{name_of(matrix)}` | {own['what']} | {own['median_ms']:.4f} | {vendor['what'][9:]} | {vendor['median_ms']:.4f} | "
                      f"{ratios[name_of(matrix)]:.2f} | {own['floor_ms'] / own['median_ms']:.2f} | "
                      + (f"{narrow['what']} {narrow['median_ms']:.4f} |" if narrow else "|"))
            least = min(ratios, key=ratios.get)
            mean = geometric_mean(list(ratios.values()))
            print(f"\nLeast {ratios[least]:.3f} (`{least}`; wanted 1.0: {holds(ratios[least] >= 1)}), "
                  f"geometric mean {mean:.3f} (wanted 1.25: {holds(mean >= 1.25)}).")


def regular_against_floor(products):
    """Line 2: bce or sell on regular systems against the plain-index floor."""
    print("\n### 2. Regular systems: plain-index floor / product (wanted 1.15 on those like finite elements)\n")
    print("| system | type | bce | bce stores | sell | sell stores | best | 1.15? |\n|---|---|---|---|---|---|---|---|")
    for (matrix, type_), records in groups(products).items():
        if not is_one_of(matrix, REGULAR):
            continue
        cells, shares = [], []
        for kind in ("bce", "sell"):
            r = best(r for r in records if kind_of(r) == kind and not is_shown_apart(r))
            shares += [r["floor_ms"] / r["median_ms"]] if r else []
            cells.append(f"{r['floor_ms'] / r['median_ms']:.3f} | {r['own_bytes'] / r['bytes']:.2f} of the plain bytes" if r else " | ")
        if shares:
            print(f"| `{name_of(matrix)}` | {type_} | {' | '.join(cells)} | {max(shares):.3f} | {holds(max(shares) >= 1.15)} |")


def against_csr(products):
    """Line 3: speculative and segmented beside csr; which formats collapse."""
    print("\n### 3. csr / speculative and csr / segmented (regular: 1 / 1.2 = 0.83 or more; rmat, web, circuit, lp: above 1)\n")
    print("| system | type | speculative | segmented | hold? | slower than csr by 5 or more | refused or absent |\n|---|---|---|---|---|---|---|")
    everything = {r["what"] for r in products if not is_vendor(r)}
    for (matrix, type_), records in groups(products).items():
        if not matrix.startswith("gen:"):
            continue
        csr = best(r for r in records if r["what"] == "csr")
        if not csr:
            continue
        kinds = {k: best(r for r in records if kind_of(r) == k) for k in ("speculative", "segmented")}
        ratios = {k: csr["median_ms"] / r["median_ms"] for k, r in kinds.items() if r}
        wanted = 1 / 1.2 if is_one_of(matrix, REGULAR) else 1.0 if is_one_of(matrix, IRREGULAR) else 0
        slow = [f"{r['what']} ({r['median_ms'] / csr['median_ms']:.0f})" for r in records
                if not is_vendor(r) and r["median_ms"] > 5 * csr["median_ms"]]
        verdict = holds(all(q >= wanted for q in ratios.values())) if wanted and ratios else ""
        absent = sorted(everything - {r["what"] for r in records})
        print(f"| `{name_of(matrix)}` | {type_} | " + " | ".join(f"{ratios[k]:.2f}" if k in ratios else "" for k in kinds)
              + f" | {verdict} | {', '.join(slow)} | {', '.join(absent)} |")


def conversions(products):
    """Line 4: conversions in products of the same format."""
    large = {k: v for k, v in groups(products).items() if v[0]["entries"] >= 10_000_000}
    kinds = list(dict.fromkeys(kind_of(r) for v in large.values() for r in v if not is_shown_apart(r) and r["what"] != "csr"))
    kinds = [k for k in kinds if k != "cusparse"]
    if not kinds:
        return
    print("\n### 4. Conversions in products of the same format (ms), 10 M entries or more\n")
    print("| system | type | " + " | ".join(kinds) + " |\n|---|---|" + "---|" * len(kinds))
    worst = {}
    for (matrix, type_), records in large.items():
        cells = []
        for kind in kinds:
            r = best(r for r in records if kind_of(r) == kind and not is_shown_apart(r))
            cells.append(f"{r['convert_products']:.1f} ({r['convert_ms']:.2f})" if r else "")
            if r and r["convert_products"] > worst.get(kind, (0, ""))[0]:
                worst[kind] = (r["convert_products"], f"{name_of(matrix)} {type_}")
        print(f"| `{name_of(matrix)}` | {type_} | {' | '.join(cells)} |")
    print()
    for kind, most in MOST_PRODUCTS.items():
        if kind in worst:
            print(f"{kind}: at most {worst[kind][0]:.1f} (`{worst[kind][1]}`); wanted {most}: {holds(worst[kind][0] <= most)}.  ")


def iterations(solves):
    """Line 6: an iteration of cg by format."""
    print("\n### 6. One iteration of cg + jacobi, ms\n")
    formats = list(dict.fromkeys(r["what"].split(" ")[0] for r in solves))
    print("| system | " + " | ".join(formats) + " | best | wanted | holds? |\n|---|" + "---|" * (len(formats) + 3))
    for (matrix, _), records in groups(solves).items():
        times = {r["what"].split(" ")[0]: r["median_ms"] for r in records}
        own = min((f for f in times if f != "cusparse"), key=times.get)
        name = name_of(matrix)
        wanted = CG_MS.get(int(name[len("poisson3d,n="):])) if name.startswith("poisson3d,n=") else None
        print(f"| `{name}` | " + " | ".join(f"{times[f]:.4f}" if f in times else "" for f in formats)
              + f" | {own} | {wanted or ''} | {holds(times[own] <= wanted) if wanted else ''} |")


def blocks(products):
    """Line 7: elasticity with bsr."""
    for (matrix, type_), records in groups(products).items():
        bsr, vendor = best(r for r in records if kind_of(r) == "bsr"), best(filter(is_vendor, records))
        if name_of(matrix).startswith("elasticity3d") and bsr and vendor:
            ratio = vendor["median_ms"] / bsr["median_ms"]
            print(f"\n### 7. `{name_of(matrix)}`, {type_}: bsr {bsr['median_ms']:.4f} ms, cuSPARSE's best ({vendor['what']}) "
                  f"{vendor['median_ms']:.4f} ms: {ratio:.2f} (wanted 1.6: {holds(ratio >= 1.6)})")


def on_the_cpu(records):
    """Line 8: every format beside csr and CXSparse."""
    formats = list(dict.fromkeys(r["what"] for r in records))
    print(f"\n### 8. On the CPU, {records[0]['threads']} thread(s): ms (csr / format; CXSparse / format)\n")
    print("| system | CXSparse | " + " | ".join(formats) + " |\n|---|---|" + "---|" * len(formats))
    slower, gains = [], []
    for (matrix, _), found in groups(records).items():
        times = {r["what"]: r["median_ms"] for r in found}
        peer = found[0]["peer_ms"]
        cells = []
        for f in formats:
            cells.append(f"{times[f]:.2f} ({times.get('csr', math.nan) / times[f]:.2f}; {peer / times[f]:.2f})" if f in times else "")
            if f in times and times[f] > peer:
                slower.append(f"{f} on {name_of(matrix)} ({peer / times[f]:.2f})")
        print(f"| `{name_of(matrix)}` | {peer:.2f} | {' | '.join(cells)} |")
        ours = [times[f] for f in times if f.split(",")[0] in ("bce", "sell") and "value=auto" not in f]
        if is_one_of(matrix, REGULAR) and ours and "csr" in times:
            gains.append((times["csr"] / min(ours), name_of(matrix)))
    if gains:
        print(f"\ncsr / the better of bce and sell, on regular systems: {min(gains)[0]:.2f} (`{min(gains)[1]}`) or more, geometric mean "
              f"{geometric_mean([g for g, _ in gains]):.2f}; wanted 1.1: {holds(min(gains)[0] >= 1.1)}.  ")
    print(f"\nSlower than cs_gaxpy: {'; '.join(slower) or 'none'}; wanted none: {holds(not slower)}.")


def doubtful(records):
    """Products that are not those of the first format."""
    for r in records:
        if not r["difference"] <= (1e-11 if r["type"] == "f64" else 1e-4):
            print(f"\n**{name_of(r['matrix'])} {r['type']} {r['what']}: differs by {r['difference']}**")


def record(records, name):
    top = pathlib.Path(__file__).resolve().parent.parent
    commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    for r in records:
        r["commit"], r["date"] = r.get("commit", commit), r.get("date", time.strftime("%Y-%m-%d"))
        if not r["matrix"].startswith("gen:"):
            r["matrix"] = pathlib.Path(r["matrix"]).name
    path = top / "bench" / "results" / name / "bench_formats.json"
    path.write_text("[\n" + ",\n".join(json.dumps(r) for r in records) + "\n]\n")


def main():
    records = [json.loads(line) for line in open(sys.argv[1])]
    if len(sys.argv) > 2:
        record(records, sys.argv[2])
    doubtful([r for r in records if r.get("operation") != "solve"])
    host = [r for r in records if r["bench"] == "bench_spmv"]
    products = [r for r in records if r.get("operation") == "product"]
    solves = [r for r in records if r.get("operation") == "solve"]
    if products:
        own_against_vendor(products)
        regular_against_floor(products)
        against_csr(products)
        conversions(products)
        blocks(products)
    if solves:
        iterations(solves)
    if host:
        on_the_cpu(host)


main()
