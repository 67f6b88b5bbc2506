/* --- gsolve solve ----------------------------------------------------------------------------------------- */

function solveVerdict(data) {
  const page = data.page, outcome = data.outcome;
  const headline = page.success ? outcome[0].toUpperCase() + outcome.slice(1) + " after " + plural(data.iterations, "iteration") + " in " + seconds(data.seconds.solve)
    : "Not converged: " + outcome;
  const residual = "The true residual |b \u2212 Ax| / |b| is " + small(data.residual) +
    (data.rhs_columns > 1 ? " in the worst column" : "") + (isNumber(page.rtol) ? "; the tolerance is " + small(page.rtol) + "." : ".");
  const attempts = data.attempts ? data.attempts.length : 1;
  return verdict(page.success, headline,
    data.solver.name + (data.precond.name === "none" ? " without a preconditioner" : " with the preconditioner " + data.precond.name) +
    (attempts > 1 ? ", attempt " + page.attempt + " of " + attempts : "") + ". " + residual);
}

function diagnosis(data) {
  const text = data.explanation || data.cause;
  if (data.page.success || !text) return null;
  return wide(card("Why, and what to try",
    data.cause && el("p", null, data.cause),
    data.remedy && el("p", null, data.remedy),
    !data.cause && el("p", null, text),
    data.command && [el("p", null, "Run this command:"), command(data.command)]));
}

function solveTiles(data) {
  const m = data.matrix, page = data.page;
  return tiles([
    ["Matrix", count(m.rows) + " \u00d7 " + count(m.cols), count(m.entries) + " entries, " + page.symmetry],
    ["Iterations", count(data.iterations), plural(data.products, "product") + " with A"],
    ["Residual", small(data.residual), "|b \u2212 Ax| / |b|, recomputed"],
    isNumber(data.x_error) && ["Error", small(data.x_error), "|x \u2212 1| / |1|"],
    ["Time", seconds(data.seconds.total - (page.profile_seconds || 0)), seconds(data.seconds.solve) + " in the solve"],
    isNumber(data.memory_peak) && ["Memory", bytes(data.memory_peak), "most that gsolve held"],
    data.spectrum && isNumber(data.spectrum.condition) && ["Condition", "\u2265 " + small(data.spectrum.condition), "estimated"],
  ]);
}

/* The value of a curve at iteration k: that of the last point at or before k. */
function valueAt(points, k) {
  let low = 0, high = points.length - 1;
  if (high < 0 || k < points[0][0] || k > points[high][0]) return null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (points[middle][0] <= k) low = middle; else high = middle - 1;
  }
  return points[low][1];
}

/* limit: the largest iteration that is drawn, or none. */
function residualChart(curves, rtol, label, limit) {
  const values = curves.flatMap(c => c.points.map(p => p[1])).concat(curves.map(c => c.residual)).filter(v => isNumber(v) && v > 0);
  if (!values.length) return null;
  const largest = values.reduce((a, b) => Math.max(a, b)), least = values.reduce((a, b) => Math.min(a, b));
  const low = Math.floor(Math.log10(Math.min(least, rtol > 0 ? rtol : 1)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(largest) - 1e-9));
  const last = c => c.points.length ? c.points[c.points.length - 1][0] : 0;
  const most = Math.min(limit || Infinity, Math.max(1, ...curves.map(last)));
  return lineChart({
    label: label, xLabel: "iteration", yLabel: "residual |b \u2212 Ax| / |b|", xLow: 0, xHigh: most, low: low, high: high, logY: true,
    yTicks: decadeTicks, xTicks: (a, b, many) => linearTicks(a, b, many, 1), limit: rtol > 0 ? { y: rtol, name: "tolerance " + small(rtol) } : null,
    curves: curves.map((c, k) => ({ name: c.name, style: k, points: c.points.filter(p => p[0] <= most),
      end: last(c) <= most ? [last(c), c.residual] : null })),
    step: (k, move) => Math.round(k) + move,
    read: x => {
      const k = Math.round(x);
      return { x: k, text: "iteration " + count(k) + ": " + curves.map(c => [c.name, valueAt(c.points, k)])
        .filter(([, v]) => isNumber(v)).map(([name, v]) => (curves.length > 1 ? name + " " : "") + small(v)).join("; ") };
    },
  });
}

function convergence(data) {
  const page = data.page, curves = page.curves.filter(c => c.points.length > 0);
  curves.forEach(c => { c.name = (page.curves.length > 1 ? c.attempt + ": " : "") + c.solver + " + " + c.precond; });
  const chart = curves.length && residualChart(curves, page.rtol, "Residual of each iteration: " +
    curves.map(c => c.name + " ends at " + small(c.residual)).join("; "));
  if (!chart) return null;
  return wide(card("Convergence", legend(curves.map((c, k) => [k, breakable(c.name + " (" + c.outcome + ")")])), chart,
    note("A circle is the residual recomputed from A, x and b at the end.")));
}

function times(data) {
  const s = data.seconds, parts = [
    [data.matrix.kind === "generator" ? "generate the matrix" : "read", s.read], ["check and inspect", s.check],
    ["move to fewer ranks", s.move], ["partition", s.partition],
    ["build the format", s.build], ["set up", s.setup], ["solve", s.solve], ["write x", s.write]].filter(([, t]) => isNumber(t));
  const total = s.total - (data.page.profile_seconds || 0); // the profile solves a second time
  parts.push(["other", total - parts.reduce((sum, part) => sum + part[1], 0)]);
  return card("Time", bars(parts.filter(([, t]) => t > 0).map(([name, t]) =>
    ({ name: name, parts: [{ value: t }], text: seconds(t), remark: percent(t / total) })),
  { caption: "Where the " + seconds(total) + " of the command went" + (data.attempts ? ", all attempts together" : "") }),
  data.page.profile_seconds > 0 && note("Without the profile, which took " + seconds(data.page.profile_seconds) + "."));
}

function attempts(data) {
  if (!data.attempts) return null;
  return wide(card("Attempts", table("Methods in the order in which gsolve tried them",
    ["method", "preconditioner", "outcome", "iterations", "residual", "set-up", "solve", "chosen because"],
    data.attempts.map(a => [breakable(a.solver), { text: a.precond }, { text: a.outcome, best: a.outcome === "converged" }, count(a.iterations),
      small(a.residual), seconds(a.setup_seconds), seconds(a.solve_seconds), { text: a.why.replace(/^chosen: /, ""), prose: true }]))));
}

function levels(data) {
  const list = data.precond.levels;
  if (!list || !list.length) return null;
  const entries = list.reduce((sum, l) => sum + l.entries, 0), rows = list.reduce((sum, l) => sum + l.rows, 0);
  return wide(card("Levels of " + data.precond.name, table("Level 0 is the finest",
    ["level", "rows", "entries", "entries per row", "format", "values", "memory moved by a product"],
    list.map((l, k) => [k, count(l.rows), count(l.entries), three(l.mean_row), l.form, l.type, bytes(l.bytes)])),
  note("Operator complexity (entries of all levels over those of the finest): " + ratio(entries / list[0].entries) +
    "; grid complexity (rows): " + ratio(rows / list[0].rows) + ".")));
}

function profile(data) {
  const p = data.profile, spread = p && p.classes.some(c => isNumber(c.seconds_most));
  if (!p) return null;
  return wide(card("Profile against the bandwidth of the memory",
    el("ul", { class: "legend" }, el("li", null, el("i", { class: "dashed" }), "a copy of a large array: " + rate(p.copy_bytes_per_second))),
    bars(p.classes.filter(c => c.bytes_per_second > 0).map(c => ({ name: c.name, parts: [{ value: c.bytes_per_second }],
      text: rate(c.bytes_per_second), remark: percent(c.share) + " of the time" })),
    { caption: "Bandwidth of each class of operations. Operations of an iterative solve are limited by memory, so the copy is their roofline",
      limit: p.copy_bytes_per_second }),
    note("An iteration takes " + seconds(p.iteration_seconds) + " and moves " + bytes(p.iteration_bytes) + ": " +
      rate(p.bytes_per_second) + ", " + ratio(p.share_of_copy) + " of the copy. Above 1, data came from a cache."),
    table("Classes of operations in the second solve, in which each operation is timed",
      ["operation", "calls", "bytes per call", "time", "share", "bandwidth", "/ copy"].concat(spread ? ["least", "of rank", "most", "of rank"] : []),
      p.classes.map(c => [c.name, count(c.calls), c.bytes_per_call > 0 ? bytes(c.bytes_per_call) : "\u2013", seconds(c.seconds), percent(c.share),
        c.bytes_per_second > 0 ? rate(c.bytes_per_second) : "\u2013", c.bytes_per_second > 0 ? ratio(c.share_of_copy) : "\u2013"]
        .concat(spread ? [seconds(c.seconds_least), c.least_rank, seconds(c.seconds_most), c.most_rank] : []))),
    spread && note("Times are means over the ranks; bytes and bandwidths are those of all ranks together.")));
}

function columnTable(data) {
  if (!data.columns) return null;
  const most = 200, list = data.columns.slice(0, most);
  return card("Columns of b", table("Each right-hand side" + (data.columns.length > most ? ": the first " + most : ""),
    ["column", "iterations", "residual", "outcome"], list.map((c, k) => [k, count(c.iterations), small(c.residual), c.outcome])));
}

function methodCard(data) {
  const f = data.format;
  return card("Method", pairs([
    ["solver", breakable(data.solver.spec), data.solver.note], ["preconditioner", breakable(data.precond.spec), data.precond.note],
    ["format", f.form && f.form !== f.name ? f.name + " (" + f.form + ")" : f.name, f.note],
    isNumber(f.bytes) && ["a product moves", bytes(f.bytes)], ["transform", data.solver.transform],
    ["b", data.rhs + (data.rhs_columns > 1 ? ", " + data.rhs_columns + " columns" : "")],
    data.null_space && ["null space", "dimension " + data.null_space.dimension]]));
}

function environment(data) {
  const page = data.page, version = data.gsolve || data.version;
  return card("Environment", pairs([
    ["device", data.device_description || data.description || data.device], ["threads", data.threads], ["CPU kernels", data.cpu_level],
    ["values", data.type === "f32" ? "f32, single precision" : "f64, double precision"], ["gsolve", version], ["date", page.date],
    ["process memory", isNumber(data.process_peak) ? bytes(data.process_peak) : null]]));
}

const repeat = data => data.page.command && wide(card("Repeat this run", command(data.page.command)));

function solvePage(data) {
  return [solveVerdict(data), solveTiles(data), el("div", { class: "grid" }, [
    diagnosis(data), convergence(data), attempts(data),
    el("div", { class: "stack" }, times(data), rowLengths(data.page.row_lengths, data.page), environment(data)),
    el("div", { class: "stack" }, spy(data.page.spy, data.matrix), methodCard(data)),
    wide(ranksCard(data.page.ranks, data)), levels(data), profile(data), columnTable(data), repeat(data), rawJson(data)])];
}
