#!/usr/bin/env python3
"""tables.py OUT [NAME]: the records that run.sh left in the folder OUT as the tables of the papers, as Markdown: what a paper claims, what is
measured here, and whether the claim holds. NAME: writes the records to bench/results/NAME/bench_tables.json too.
tables.py --list PAPER: the generated matrices that stand in for those of a paper, one a line."""
import json
import math
import pathlib
import re
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
papers = json.loads((here / "papers.json").read_text())
OURS = {"B&G-s": "csr_scalar", "B&G-w": "csr_vector", "P&S": "ps"}  # names in the tables of segSpMV
TYPES = ("f32", "f64")
WORDS = {"f32": "single precision", "f64": "double precision"}


def name_of(matrix):
    return pathlib.Path(matrix).name.split(".")[0]


def read(out, paper):
    """{(matrix, type): {format: record}} in the order of the file; CSR is the faster of cuSPARSE's two."""
    found = {}
    path = out / f"tables_{paper}.jsonl"
    for line in open(path) if path.exists() else ():
        r = json.loads(line)
        key = r["matrix"][4:] if r["matrix"].startswith("gen:") else name_of(r["matrix"])
        group = found.setdefault((key, r["type"]), {})
        group[r["what"]] = r
        if r["what"].startswith("cusparse,alg=csr") and r["median_ms"] < group.get("CSR", {"median_ms": math.inf})["median_ms"]:
            group["CSR"] = r
    return found


def ms(group, what):
    return group[what]["median_ms"] if what in group else None


def cell(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def ratio(group, slow, fast):
    """How many times fast is faster than slow, or None."""
    return ms(group, slow) / ms(group, fast) if slow in group and fast in group else None


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def harmonic_mean(values):
    return len(values) / sum(1 / v for v in values) if values else None


def verdict(here_, there):
    """there: the published figure."""
    if here_ is None:
        return "not measured"
    return "yes" if here_ >= there else "in direction" if here_ > 1 else "**no**"


def claims(lines):
    print("\n| claim | paper | here | holds? |\n|---|---|---|---|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


# --- segSpMV, Table I -------------------------------------------------------------------------------------------------


def segspmv(out):
    paper, found = papers["segspmv"], read(out, "segspmv")
    if not found:
        return
    own = "segmented,gather=expand,finish=host,sum="  # options that are gone (decision 019): in stored records only
    print(f"\n## segSpMV, Table I ({paper['gpu']})\n\nProducts in ms, fp32; in brackets the published ones. Stand-ins of the rows, columns and entries of Table II."
          " *As published*: the gathered vector is written out, sums are finished on the host.\n")
    print("| matrix | segment | B&G-s | B&G-w | P&S | cuSPARSE CSR | as published | `segmented` | `csr` |\n|---|---|---|---|---|---|---|---|---|")
    rows = []
    for m in paper["matrices"]:
        group = found.get((m["generator"], "f32"), {})
        method = "segSpMV" if m["segment"] < 32 else "segSpMV-r"
        there = m["ms"]
        published = own + ("thread" if method == "segSpMV" else "reduce")
        rows.append((method, group))
        print(f"| {m['name']} | {m['segment']} | " + " | ".join(f"{cell(ms(group, OURS[k]), 4)} ({there[k]})" for k in OURS)
              + f" | {cell(ms(group, 'CSR'), 4)} ({there['CUSPARSE']}) | {cell(ms(group, published), 4)} ({there[method]}) | "
              f"{cell(ms(group, 'segmented'), 4)} | {cell(ms(group, 'csr'), 4)} |")
    lines = []
    for method, averages in paper["averages"].items():
        for over, there in averages.items():
            value = mean(ratio(g, OURS.get(over, "CSR"), "segmented") for k, g in rows if k == method)
            lines.append((f"{method}: average speed-up over {over}", f"{there:.2f}", cell(value), verdict(value, there)))
    fastest = [all(ratio(g, s, "segmented") is None or ratio(g, s, "segmented") >= 1 for s in (*OURS.values(), "CSR")) for _, g in rows if "segmented" in g]
    lines.append(("the fastest of the five on every matrix", f"{len(rows)} of {len(rows)}", f"{sum(fastest)} of {len(fastest)}",
                  "yes" if fastest and all(fastest) else "**no**" if fastest else "not measured"))
    claims(lines)


# --- speculative segmented sum, figures 4 and 5 -----------------------------------------------------------------------


def throughput(group, what):
    return 2e-6 * group[what]["entries"] / ms(group, what) if what in group else None


def speculative_rows(found, paper, type_):
    return [(m, found.get((m["generator"], type_), {})) for m in paper["matrices"]]


def speculative(out):
    paper, found = papers["speculative"], read(out, "speculative")
    if not found:
        return
    shown = ("csr_scalar", "csr_vector", "CSR", "csr", "speculative")
    print(f"\n## Speculative segmented sum, figures 4 and 5 ({paper['gpu']})\n\nGFlop/s, fp32 / fp64. Stand-ins of the sizes and row lengths of Table 3.\n")
    print("| matrix | " + " | ".join("cuSPARSE CSR" if s == "CSR" else f"`{s}`" for s in shown) + " |\n|---|" + "---|" * len(shown))
    both = {t: speculative_rows(found, paper, t) for t in TYPES}
    for (m, narrow), (_, wide) in zip(both["f32"], both["f64"]):
        print(f"| {m['name']} | " + " | ".join(f"{cell(throughput(narrow, s), 1)} / {cell(throughput(wide, s), 1)}" for s in shown) + " |")
    means = {t: {s: harmonic_mean([v for _, g in both[t] if (v := throughput(g, s))]) for s in shown} for t in TYPES}
    print("| **harmonic mean** | " + " | ".join(f"{cell(means['f32'][s], 1)} / {cell(means['f64'][s], 1)}" for s in shown) + " |")
    lines = []
    for claim in paper["claims"]:
        for type_ in TYPES:
            if type_ in claim:
                ratios = [ratio(g, claim["over"], "speculative") for _, g in both[type_]]
                average, most = mean(ratios), max((q for q in ratios if q is not None), default=None)
                for what, value, there in (("average", average, claim[type_][0]), ("largest", most, claim[type_][1])):
                    lines.append((f"{what} speed-up over {claim['called']} ({claim['device']}), {WORDS[type_]}", f"{there:.2f}", cell(value), verdict(value, there)))
    for type_ in TYPES:
        cusp = paper["claims"][0]
        value = mean(ratio(g, "CSR", "speculative") for _, g in both[type_])
        lines.append((f"over cuSPARSE more than over CUSP, {WORDS[type_]}", f"above {cusp[type_][0]}", cell(value), verdict(value, cusp[type_][0])))
        regular = mean(ratio(g, "csr_vector", "speculative") for m, g in both[type_] if m["regular"])
        other = mean(ratio(g, "csr_vector", "speculative") for m, g in both[type_] if not m["regular"])
        if regular and other:
            lines.append((f"gains over CSR-vector come mainly from the irregular ten, {WORDS[type_]}", "irregular above regular",
                          f"{other:.2f} against {regular:.2f}", "yes" if other > regular else "**no**"))
            lines.append((f"the regular ten lose little, {WORDS[type_]}", "about 1 or more", f"{regular:.2f}", "yes" if regular > 0.9 else "**no**"))
        group = next(g for m, g in both[type_] if m["name"] == "Epidemiology")
        value = ratio(group, "speculative", "csr_scalar")
        if value:
            lines.append((f"CSR-scalar is the fastest of the GPU's on Epidemiology, {WORDS[type_]}", "above 1", f"{value:.2f}", "yes" if value > 1 else "**no**"))
    claims(lines)


# --- BCE, tables 3 to 6 -----------------------------------------------------------------------------------------------

BCE = {"BCE": "bce", "BSR": "cusparse,alg=bsr", "HYB": "hyb", "ELL": "ell", "COO": "cusparse,alg=coo", "CSR": "CSR"}


def solver_seconds(group, what, iterations):
    """As the paper counts: the conversion and so many products."""
    r = group.get(what)
    return 1e-3 * ((0 if what == "CSR" else r["convert_ms"]) + iterations * r["median_ms"]) if r else None


def improvement(value, base):
    """In percent, as in the paper: (t1 - t2) / t1, t2 of BCE."""
    return 100 * (base - value) / base if value is not None and base is not None else None


def bce_values(m, group, which):
    if which == "product":
        return {k: ms(group, f) for k, f in BCE.items()}
    return {k: solver_seconds(group, f, m["iterations"]) for k, f in BCE.items()}


def bce_table(paper, found, which, digits):
    """Prints the times of a table and the improvements of the next; returns these, {type: {format: [percent]}}."""
    key = {"product": "product_ms", "solver": "solver_s"}[which]
    gains = {t: {k: [] for k in BCE if k != "BCE"} for t in TYPES}
    for type_ in TYPES:
        print(f"\nIn {WORDS[type_]}; in brackets the published ones:\n")
        print("| no. | matrix | " + " | ".join(BCE) + " | improvement over BSR, HYB, ELL, COO, CSR in % |\n|---|---|" + "---|" * (len(BCE) + 1))
        for m in paper["matrices"]:
            values = bce_values(m, found.get((m["generator"], type_), {}), which)
            there = m[key][type_]
            percent = {k: improvement(values["BCE"], values[k]) for k in BCE if k != "BCE"}
            for k, v in percent.items():
                if which == "product" or m["name"] != "cage15" or k not in ("HYB", "ELL", "CSR"):
                    gains[type_][k].append(v)
            print(f"| {m['number']} | {m['name']} | " + " | ".join(f"{cell(values[k], digits)} ({'NA' if there.get(k) is None else there[k]})" for k in BCE)
                  + " | " + ", ".join(cell(v, 0) or "-" for v in percent.values()) + " |")
    return gains


def bce_claims(paper, gains, which):
    lines, published = [], paper["improvements"][which]
    for type_ in TYPES:
        for k, there in published[type_].items():
            value = mean(gains[type_][k])
            held = "not measured" if value is None else "yes" if value >= there else "in direction" if value > 0 else "**no**"
            lines.append((f"average improvement over {k}, {WORDS[type_]} ({published['source']})", f"{there:.1f} %", "" if value is None else f"{value:.1f} %", held))
        wins = [min(vs) >= 0 for vs in zip(*[[math.inf if v is None else v for v in gains[type_][k]] for k in gains[type_]])] if which == "product" else []
        if any(v is not None for vs in gains[type_].values() for v in vs) and wins:
            lines.append((f"nothing faster on any matrix, {WORDS[type_]}", "20 of 20", f"{sum(wins)} of {len(wins)}", "yes" if all(wins) else "**no**"))
    claims(lines)


def bce(out):
    paper, found = papers["bce"], read(out, "bce")
    if not found:
        return
    print(f"\n## BCE, tables 3 and 4: products ({paper['gpu']})\n\nMilliseconds. Stand-ins of the rows, entries and longest rows of Table 2. BSR, COO and CSR (the faster of two) are "
          "cuSPARSE's; it has no HYB and ELL any more, these are `hyb` and `ell`.")
    bce_claims(paper, bce_table(paper, found, "product", 3), "product")
    print("\n## BCE, tables 5 and 6: processing time of a solve\n\nSeconds: the conversion and as many products as the solves of Table 5 took iterations.")
    bce_claims(paper, bce_table(paper, found, "solver", 3), "solver")
    pays = [(m["name"], t) for m in paper["matrices"] for t in TYPES
            if (v := bce_values(m, found.get((m["generator"], t), {}), "solver")) and v["BCE"] and v["CSR"] and v["BCE"] > v["CSR"]]
    costs = [g["bce"]["convert_products"] for g in found.values() if "bce" in g]
    if costs:
        print(f"\nThe conversion costs {min(costs):.1f} to {max(costs):.1f} products here; in Table 7 it costs "
              f"{min(conversions_of(paper)):.1f} to {max(conversions_of(paper)):.1f}. The paper: only cage15, of 24 iterations, is solved later than with CSR. "
              f"Here: {', '.join(f'{n} ({t})' for n, t in pays) or 'none'}.")


def conversions_of(paper):
    return [m["conversion_ms"][t]["BCE"] / m["product_ms"][t]["BCE"] for m in paper["matrices"] for t in TYPES]


# --- FastSpMM, Tables 3 to 5 ------------------------------------------------------------------------------------------

LEAST = "ellr,cache=least"  # in records of earlier versions, which had this option


def spmm_records(out):
    """{generator: {"gpu": {(columns, what): record}, "stream": record, "cpu": {threads: record}}}"""
    found = {}
    path = out / "tables_fastspmm.jsonl"
    for line in open(path) if path.exists() else ():
        r = json.loads(line)
        group = found.setdefault(r["matrix"][4:], {"gpu": {}, "cpu": {}})
        threads = re.search(r"(\d+) thread", r["device"])
        if r["bench"] == "bench_stream":
            group["stream"] = r
        elif threads:
            group["cpu"][int(threads[1])] = r
        else:
            group["gpu"][r["columns"], r["what"]] = r
    return found


def spmm_table(head, rows):
    print("\n| matrix | " + " | ".join(head) + " |\n|---|" + "---|" * len(head))
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")


def cache_rows(paper, found, k):
    """(name, special, published factors, times with much and with little first cache, factor)"""
    for m in paper["matrices"]:
        gpu = found.get(m["generator"], {"gpu": {}})["gpu"]
        if (k, "ellr") in gpu and (k, LEAST) in gpu:
            large, least = gpu[k, "ellr"]["median_ms"], gpu[k, LEAST]["median_ms"]
            yield m, [a / b for a, b in m["table3"].values()], large, least, least / large


def cpu_rows(paper, found):
    """(matrix, {threads: ms a column}, ms a column of the streamed product)"""
    for m in paper["matrices"]:
        group = found.get(m["generator"], {"cpu": {}})
        if group["cpu"] and "stream" in group:
            times = {t: r["median_ms"] / r["columns"] for t, r in sorted(group["cpu"].items())}
            yield m, times, group["stream"]["median_ms"] / group["stream"]["columns"]


def span(values, digits=2):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def holds(condition, partly=False):
    return "yes" if condition else "in part" if partly else "**no**"


def fastspmm(out):
    paper, found, k = papers["fastspmm"], spmm_records(out), 8
    if not found:
        return
    lines = []
    print(f"\n## FastSpMM\n\n{paper['paper']}. There: {paper['gpu']}. Single precision here too, `ellr`, operands by rows for Table 3 and by columns for "
          "Table 4. Rows and columns of the dense operands there: as many columns as the matrix has rows; here fewer, which changes no ratio.")
    rows = list(cache_rows(paper, found, k))
    if rows:
        print(f"\nTable 3: the product of {k} columns, ms, with most of a multiprocessor's memory as first cache and with the least.")
        spmm_table(["factor, C2050", "factor, GTX480", "large cache", "least cache", "factor"],
                   [(m["name"], [cell(there[0]), cell(there[1]), cell(large, 4), cell(least, 4), cell(f)]) for m, there, large, least, f in rows])
        factors = [f for *_, f in rows]
        lines.append(("a larger first cache is never slower (Table 3)", "1.0 to 1.4", span(factors), holds(min(factors) > 0.98, mean(factors) > 1)))
    streams = [(m, found[m["generator"]]["stream"]) for m in paper["matrices"] if "stream" in found.get(m["generator"], {})]
    if streams:
        print("\nTable 4: product (PT) and copies (CT) alone, ms; share of the copies in the run that does not overlap; that run, the overlapped one, factor.")
        rows = []
        for m, r in streams:
            copies = r["in_ms"] + r["out_ms"]
            share = 100 * copies / (copies + r["product_ms"])
            rows.append((m, share, r["factor"]))
            published = m["table4"]["Tesla C2050"], m["table4"]["GTX480"]
            found[m["generator"]]["row"] = [cell(published[0][2], 0), cell(published[0][5]), cell(published[1][5]), str(r["columns"]), cell(r["product_ms"], 1),
                                            cell(copies, 1), cell(share, 0), cell(r["in_turn_ms"], 1), cell(r["median_ms"], 1), cell(r["factor"])]
        spmm_table(["% Com, C2050", "AF, C2050", "AF, GTX480", "columns", "PT", "CT", "% Com", "in turn", "overlapped", "AF"],
                   [(m["name"], found[m["generator"]]["row"]) for m, _ in streams])
        factors = [f for *_, f in rows]
        lines.append(("overlapping copies and products is faster for every matrix (Table 4)", "1.01 to 1.45", span(factors),
                      holds(min(factors) > 1, mean(factors) > 1)))
        copied = [s for _, s, _ in rows]
        lines.append(("the factor is near 1 where copies take over 84 % of the time, or under 13 %", "1.01 to 1.17",
                      span([f for _, s, f in rows if s > 84 or s < 13]) if any(s > 84 or s < 13 for s in copied) else "",
                      holds(all(f <= 1.17 for _, s, f in rows if s > 84 or s < 13), any(f <= 1.17 for _, s, f in rows if s > 84 or s < 13))))
        lines.append(("copies are a relevant share of the time (unless rows are very long)", "15 to 92 %", span(copied, 0) + " %", holds(mean(copied) > 15)))
    rows = list(cpu_rows(paper, found))
    if rows:
        counts = sorted({t for _, times, _ in rows for t in times})
        print("\nTable 5: ms a column on the CPU (csr, 8 columns by rows, in place of MKL) with so many threads, and how many times faster the streamed product "
              "on the GPU is, copies included, than the most threads.")
        spmm_table([f"{t} C" for t in counts] + ["AF here", "AF C2050", "AF GTX480"],
                   [(m["name"], [cell(times.get(t), 3) for t in counts] + [cell(times[counts[-1]] / gpu, 1)]
                     + [cell(v, 1) for v in m.get("table5", [None] * 6)[4:]]) for m, times, gpu in rows if counts[-1] in times])
        over = [(m, times[counts[-1]] / gpu) for m, times, gpu in rows if counts[-1] in times]
        plain = [f for m, f in over if not m["special"]]
        lines.append((f"the GPU is faster than {counts[-1]} cores, copies included (Table 5)", "2.2 to 8.5", span(plain, 1), holds(min(plain) > 1, max(plain) > 1)))
        halves = [f for m, f in over if not m["special"] and m["mean"] < 60], [f for m, f in over if not m["special"] and m["mean"] >= 60]
        lines.append(("the longer the rows, the more (means of rows below and above 60 entries)", "2.8 and 4.9", f"{mean(halves[0]):.1f} and {mean(halves[1]):.1f}",
                      holds(mean(halves[1]) > mean(halves[0]))))
    gpu = [found[m["generator"]]["gpu"] for m in paper["matrices"] if (k, "ellr") in found.get(m["generator"], {"gpu": {}})["gpu"]]
    if gpu:
        over = [g[k, "ellr"]["singles_ms"] / g[k, "ellr"]["median_ms"] for g in gpu]
        lines.append((f"FastSpMM is faster than a set of products of one column (here {k} of them)", "yes", span(over), holds(min(over) > 1, mean(over) > 1)))
        over = [g[k, "ellr"]["ratio"] for g in gpu if g[k, "ellr"]["ratio"]]
        lines.append(("FastSpMM is faster than cuSPARSE, here its best algorithm, analysed", "yes", span(over) if over else "", holds(over and min(over) > 1, over and mean(over) > 1)))
        wide = [(g[8, "ellr"]["median_ms"] / 8) / (g[32, "ellr"]["median_ms"] / 32) for g in gpu if (32, "ellr") in g]
        if wide:
            lines.append(("columns beyond 4 to 8 at a time gain little (speed a column of 32 over 8)", "about 1", span(wide), holds(mean(wide) < 1.1)))
    claims([tuple(str(c) for c in line) for line in lines])


# --- the real matrices ------------------------------------------------------------------------------------------------


def real(out):
    found = read(out, "real")
    if not found:
        return
    shown = ("csr_scalar", "csr_vector", "ps", "segmented", "speculative", "bce", "hyb", "ell", "csr", "CSR", "cusparse,alg=coo", "cusparse,alg=bsr")
    print("\n## Real matrices of 100 000 entries or more\n\nMilliseconds. None of them is in the tables above, and all fit into the cache.\n")
    print("| matrix | entries | type | " + " | ".join("cuSPARSE " + s[-3:].upper() if s == "CSR" or "=" in s else f"`{s}`" for s in shown)
          + " |\n|---|---|---|" + "---|" * len(shown))
    for (name, type_), group in found.items():
        entries = next(iter(group.values()))["entries"]
        print(f"| {name} | {entries} | {type_} | " + " | ".join(cell(ms(group, s), 4) for s in shown) + " |")
    for type_ in TYPES:
        groups = [g for (_, t), g in found.items() if t == type_]
        means = {s: harmonic_mean([throughput(g, s) for g in groups]) for s in shown if groups and all(s in g for g in groups)}
        print(f"\nHarmonic means, {type_}, GFlop/s: " + ", ".join(f"{s} {v:.1f}" for s, v in means.items()) + ".")


def record(out, name):
    top = here.parent.parent
    commit = subprocess.run(["git", "-C", top, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    names = {"gen:" + m["generator"]: m["name"] for p in papers.values() for m in p["matrices"]}
    records = []
    for path in sorted(out.glob("tables_*.jsonl")):
        for line in open(path):
            r = json.loads(line)
            r.update(commit=commit, date=time.strftime("%Y-%m-%d"), stands_for=names.get(r["matrix"]))
            if not r["matrix"].startswith("gen:"):
                r["matrix"] = pathlib.Path(r["matrix"]).name
            records.append(json.dumps(r))
    (top / "bench" / "results" / name / "bench_tables.json").write_text("[\n" + ",\n".join(records) + "\n]\n")


def main():
    if sys.argv[1] == "--list":
        print("\n".join("gen:" + m["generator"] for m in papers[sys.argv[2]]["matrices"]))
        return
    out = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        record(out, sys.argv[2])
    print("# Published tables, measured anew\n\nA claim holds (yes) where what is measured here is as large as published, in direction where it has the same "
          "sign. The matrices of the papers are not at hand: what is measured are generated ones of their rows, columns, entries and longest rows, "
          "whose values, columns and spread of lengths are made up.")
    for table in (segspmv, speculative, bce, fastspmm, real):
        table(out)


main()
