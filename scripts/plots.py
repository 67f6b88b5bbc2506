#!/usr/bin/env python3
"""plots.py [OUT]: the pictures of README and of the benchmark pages, from the records in bench/results/.

Writes SVG files into docs/pictures/, or into the folder OUT; with OUT ending in "png", PNG files to look at.
Every picture names the machine, the date and the commit of the records. bench/results/peers/ has figures of other
libraries that were measured in runs of their own; the pictures say so."""
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TOP = Path(__file__).resolve().parents[1]
RESULTS = TOP / "bench" / "results"
OUT = Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "docs" / "pictures"
KIND = "png" if OUT.name.endswith("png") else "svg"

GSOLVE, GSOLVE2, GREY = "#0b6e4f", "#6bbf9f", "#8a8f98"
PEERS = {"AmgX": "#c8553d", "hypre": "#3d6fb4", "PETSc": "#c8553d", "AMGCL": "#d9a441", "Ginkgo": "#7d5ba6",
         "Eigen": "#7d5ba6", "SciPy": "#d9a441", "CXSparse": GREY, "cuSPARSE": "#c8553d"}
NAMES = {"poisson3d": "Poisson, 7 points", "poisson3d27": "Poisson, 27 points", "anisotropic3d": "anisotropic diffusion",
         "jump3d": "jumping coefficients", "convdiff3d": "convection-diffusion", "elasticity3d": "elasticity",
         "poisson2d": "Poisson, 5 points", "band": "finite-element band", "rmat": "R-MAT graph", "web": "web graph",
         "circuit": "circuit", "tridiagonal": "tridiagonal", "random": "random", "lp": "linear program",
         "emptyrows": "half of the rows empty", "shuffled3d": "7 points, shuffled"}

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "gsolve", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "axes.axisbelow": True})


def records(name):
    data = json.loads((RESULTS / name).read_text())
    return data["records"] if isinstance(data, dict) else data


def system(matrix):
    """gen:poisson3d,n=128 as "Poisson, 7 points, 128³"."""
    name, _, options = matrix.removeprefix("gen:").partition(",")
    size = dict(o.split("=") for o in options.split(",")).get("n", "")
    power = "³" if "3d" in name else "²" if "2d" in name else ""
    return f"{NAMES[name]}, {size}{power}" if power else NAMES[name]


def time_text(ms):
    return f"{ms / 1000:.3g} s" if ms >= 1000 else f"{ms:.3g} ms"


def stamp(rows):
    """Commit and date of records, as text."""
    dates = sorted({r["date"] for r in rows})
    return f"commit {', '.join(sorted({r['commit'] for r in rows}))}, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}"


def save(figure, name, title, foot):
    figure.suptitle(title, x=0.012, y=0.985, ha="left", va="top", fontsize=11, fontweight="bold")
    figure.text(0.012, 0.006, foot, ha="left", va="bottom", fontsize=7, color="#555", linespacing=1.45)
    OUT.mkdir(parents=True, exist_ok=True)
    figure.savefig(OUT / f"{name}.{KIND}", facecolor="white", dpi=110, metadata={"Date": None} if KIND == "svg" else None)
    plt.close(figure)
    if KIND == "svg":
        path = OUT / f"{name}.svg"
        path.write_text("".join(line.rstrip() + "\n" for line in path.read_text().splitlines()))
    print(OUT / f"{name}.{KIND}")


def grouped_bars(axes, groups, text, limit=None, room=1.11):
    """groups: (label, [(name, colour, length, value), ...]); a bar has its value as text. Bars beyond limit are cut."""
    y, ticks, legend = 0.0, [], {}
    longest = limit or max(bar[2] for _, bars in groups for bar in bars)
    for label, bars in groups:
        ticks.append((y + (len(bars) - 1) / 2, label))
        for name, colour, length, value in bars:
            cut = limit is not None and length > limit
            legend[name] = axes.barh(y, min(length, longest), height=0.82, color=colour)
            axes.text(min(length, longest) + longest * 0.008, y, ("→ " if cut else "") + text(value), va="center", fontsize=7.5,
                      fontweight="bold" if colour == GSOLVE else "normal")
            y += 1
        y += 0.9
    axes.set_yticks([t[0] for t in ticks], [t[1] for t in ticks])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - 1.3, -0.7)
    axes.set_xlim(0, longest * room)
    axes.grid(axis="x", color="#e4e6ea", linewidth=0.7)
    return legend


def show_legend(figure, axes, legend):
    axes.legend(legend.values(), legend.keys(), loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=5, frameon=False,
                fontsize=8, handlelength=1.1, columnspacing=1.3, borderaxespad=0.2)


# --- time to solution beside other libraries ------------------------------------------------------


def fastest(peers, matrix, library, wanted=lambda configuration: True):
    found = [p for p in peers if p["matrix"] == matrix and p["library"].startswith(library) and "total_ms" in p
             and wanted(p["configuration"])]
    return min(found, key=lambda p: p["total_ms"]) if found else None


def solution_cpu():
    peers = records("peers/cpu.json")
    ours = [r for r in records("cpu/bench_amg.json") if r["threads"] == 1]
    groups = []
    for r in ours:
        bars = [("gsolve", GSOLVE, r["median_ms"] / 1000, r["median_ms"])]
        for library in ("AMGCL", "PETSc", "hypre"):
            p = fastest(peers, r["matrix"], library)
            bars.append((library, PEERS[library], p["total_ms"] / 1000, p["total_ms"]))
        groups.append((system(r["matrix"]), bars))
    figure, axes = plt.subplots(figsize=(8.2, 4.6))
    show_legend(figure, axes, grouped_bars(axes, groups, time_text))
    axes.set_xlabel("seconds, set-up and solve; shorter is better")
    figure.subplots_adjust(left=0.235, right=0.985, top=0.885, bottom=0.22)
    save(figure, "cpu", "Time to solution on one core of an AMD EPYC 9005",
         f"gsolve: cg + amg (bicgstab for convection-diffusion), {stamp(ours)}: bench_amg --device cpu --threads 1. b = 1 to |b − Ax| ≤ 1e-8 |b|, fp64.\n"
         "Others: fastest configuration of AMGCL, PETSc 3.18 and hypre 2.26 on the same kind of machine, November 2026, in runs of their own;\n"
         "other load there may have added 10 to 40 %. Their figures: bench/results/peers/cpu.json.")


def solution_gpu():
    peers = records("peers/h200.json")
    ours = [r for r in records("h200/bench_amg.json") if "elasticity" not in r["matrix"]]
    groups = []
    for r in ours:
        base = r["median_ms"]
        bars = [("gsolve", GSOLVE, 1, base)]
        for name, library, colour, wanted in (
                ("hypre 3.1", "hypre", PEERS["hypre"], lambda c: "Jacobi, the" not in c),
                ("AmgX 2.5", "AmgX", PEERS["AmgX"], lambda c: "+ Jacobi" not in c),
                ("Ginkgo 1.11", "Ginkgo", PEERS["Ginkgo"], lambda c: "Jacobi" not in c),
                ("best Jacobi-preconditioned of the three", "", GREY, lambda c: "+ Jacobi" in c)):
            p = fastest(peers, r["matrix"], library, wanted)
            if p:  # not every library solved every system
                bars.append((name, colour, p["total_ms"] / base, p["total_ms"]))
        groups.append((system(r["matrix"]), bars))
    figure, axes = plt.subplots(figsize=(8.2, 7.4))
    show_legend(figure, axes, grouped_bars(axes, groups, time_text, limit=10))
    axes.set_xlabel("time in units of gsolve's time, set-up and solve; shorter is better")
    figure.subplots_adjust(left=0.235, right=0.985, top=0.93, bottom=0.145)
    save(figure, "h200", "Time to solution on one NVIDIA H200",
         f"gsolve: cg + amg (bicgstab for convection-diffusion), {stamp(ours)}: bench_amg. b = 1 to |b − Ax| ≤ 1e-8 |b|, fp64, matrix on the device.\n"
         "Others: AmgX and hypre with the fastest of several multigrid configurations, Ginkgo with CG + multigrid, on one H200 with CUDA 13.0,\n"
         "November 2026, in runs of their own (bench/results/peers/h200.json). Bars longer than 10 are cut (→).")


# --- products -------------------------------------------------------------------------------------


def products_gpu():
    rows = [r for r in records("h200/bench_formats.json") if r["operation"] == "product" and r["type"] == "f64" and
            r["matrix"].startswith("gen:")]
    groups = []
    for matrix in dict.fromkeys(r["matrix"] for r in rows):
        of = [r for r in rows if r["matrix"] == matrix]
        own = [r for r in of if not r["what"].startswith("cusparse") and "value=auto" not in r["what"]]
        vendor = [r for r in of if r["what"].startswith("cusparse")]
        csr = next(r for r in own if r["what"] == "csr")
        floor = csr["floor_ms"]
        chosen = (("gsolve, best format", GSOLVE, own), ("gsolve csr", GSOLVE2, [csr]),
                  ("cuSPARSE, best form", PEERS["cuSPARSE"], vendor),
                  ("cuSPARSE CSR", "#e5a99b", [r for r in vendor if "csr" in r["what"]]))
        bars = []
        for name, colour, some in chosen:
            best = min(some, key=lambda r: r["median_ms"])
            bars.append((name, colour, best["median_ms"] / floor, best))
        groups.append((system(matrix), bars))
    figure, axes = plt.subplots(figsize=(8.2, 10.2))
    legend = grouped_bars(axes, groups, lambda r: f"{r['median_ms']:.3g} ms  {r['what'].removeprefix('cusparse,alg=')}", room=1.19)
    axes.axvline(1, color="#333", linewidth=0.8)
    show_legend(figure, axes, legend)
    axes.set_xlabel("time in units of the floor: the bytes of CSR, vectors once, at the speed of a copy; shorter is better")
    figure.subplots_adjust(left=0.2, right=0.985, top=0.948, bottom=0.085)
    save(figure, "products_h200", "Product y = A x on one NVIDIA H200, fp64",
         f"{stamp(rows)}: bench/run_formats.sh, all in one run, medians. cuSPARSE 12.6.3 with its analysis done. Formats with less than 12 bytes\n"
         "for an entry (16-bit indices, blocks) can be below the floor.")


def products_cpu():
    rows = records("cpu/bench_spmv.json")
    groups = []
    for r in rows:
        bars = [("gsolve csr", GSOLVE, r["median_ms"], r["median_ms"])]
        bars += [(name, PEERS[name], ms, ms) for name, ms in r["peers_ms"].items()]
        groups.append((f"{system(r['matrix'])}\n{r['threads']} thread{'s' if r['threads'] > 1 else ''}", bars))
    figure, axes = plt.subplots(figsize=(8.2, 6.6))
    show_legend(figure, axes, grouped_bars(axes, groups, time_text))
    axes.set_xlabel("milliseconds; shorter is better")
    figure.subplots_adjust(left=0.2, right=0.985, top=0.92, bottom=0.125)
    save(figure, "products_cpu", "Product y = A x on an AMD EPYC, fp64",
         f"{stamp(rows)}: bench/run.py, all in one run, in turns, medians. PETSc has as many ranks as threads. CXSparse and SciPy have one thread.\n"
         "Format csr: no conversion.")


# --- iterations and right-hand sides --------------------------------------------------------------


def iterations_gpu():
    peers = records("peers/h200.json")
    ours = records("h200/bench_krylov_device.json")
    groups = []
    for r in ours:
        if not r["matrix"].startswith("gen:poisson3d,"):
            continue
        floor = r["floor_ms"]
        bars = [("gsolve", GSOLVE, r["median_ms"] / floor, r["median_ms"]),
                ("by hand on cuSPARSE and cuBLAS, same run", GREY, r["peer_ms"] / floor, r["peer_ms"])]
        for library in ("AmgX", "hypre", "Ginkgo"):
            p = next(p for p in peers if p["matrix"] == r["matrix"] and p["library"].startswith(library) and "iteration_ms" in p)
            bars.append((p["library"], PEERS[library], p["iteration_ms"] / floor, p["iteration_ms"]))
        groups.append((system(r["matrix"]), bars))
    figure, axes = plt.subplots(figsize=(8.2, 4.3))
    show_legend(figure, axes, grouped_bars(axes, groups, time_text))
    axes.axvline(1, color="#333", linewidth=0.8)
    axes.set_xlabel("time in units of the floor: the bytes that must move, at the speed of a copy; shorter is better")
    figure.subplots_adjust(left=0.2, right=0.985, top=0.875, bottom=0.215)
    save(figure, "cg_h200", "One iteration of CG with Jacobi on one NVIDIA H200, fp64",
         f"gsolve and the loop by hand: {stamp(ours)}, bench_krylov_device. At 64³ gsolve keeps the system on the chip.\n"
         "AmgX, hypre, Ginkgo: one H200 with CUDA 13.0, November 2026, in runs of their own (bench/results/peers/h200.json).")


def columns_gpu():
    rows = [r for r in records("h200/bench_spmm.json") if r["type"] == "f64" and r["layout"] == "rows" and r["columns"] == 8]
    groups = []
    for matrix in dict.fromkeys(r["matrix"] for r in rows if r["matrix"].startswith("gen:")):
        best = min((r for r in rows if r["matrix"] == matrix), key=lambda r: r["median_ms"])
        if best["peer_ms"]:
            groups.append((system(matrix), [("gsolve", GSOLVE, best["peer_ms"] / best["median_ms"], best)]))
    figure, axes = plt.subplots(figsize=(8.2, 3.6))
    grouped_bars(axes, groups, lambda r: f"{r['peer_ms'] / r['median_ms']:.2g} times: {r['median_ms']:.3g} ms ({r['what']}), "
                 f"cuSPARSE {r['peer_ms']:.3g} ms")
    axes.set_xlim(0, max(bar[2] for _, bars in groups for bar in bars) * 1.75)
    axes.axvline(1, color="#333", linewidth=0.8)
    axes.set_xlabel("time of cuSPARSE over time of gsolve; longer is better")
    figure.subplots_adjust(left=0.2, right=0.985, top=0.9, bottom=0.225)
    save(figure, "columns_h200", "Product Y = A X with 8 columns on one NVIDIA H200, fp64",
         f"{stamp(rows)}: bench_spmm, rows of X and Y contiguous, the fastest format of gsolve and the fastest algorithm of cuSPARSE,\n"
         "in one run, medians.")


for draw in (solution_cpu, solution_gpu, products_cpu, products_gpu, iterations_gpu, columns_gpu):
    draw()
