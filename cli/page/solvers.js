/* --- gsolve compare: solvers ------------------------------------------------------------------------------------ */

const solved = r => isNumber(r.seconds);

function solverBars(rows) {
  const list = rows.filter(solved);
  if (!list.length) return null;
  const level = list[0].confidence, times = list.map(r => r.seconds);
  return wide(card("Time to the same true residual", stages(["set-up", "solve"]), bars(list.map(r => ({
    name: breakable(r.name), parts: [{ value: r.setup_seconds, kind: "p0" }, { value: Math.max(0, r.seconds - (r.setup_seconds || 0)), kind: "p1" }],
    text: seconds(r.seconds), low: r.seconds_low, high: r.seconds_high, remark: count(r.iterations) + " it." })),
  { caption: "Median of the rounds" + (isNumber(level) ? ", with its confidence interval of " + percent(level) : ""), most: cap(times) }),
  capNote(times) && note(capNote(times))));
}

function solverCurves(rows, a) {
  const list = rows.filter(r => r.history && r.history.length > 1).slice(0, 12).map((r, k) => ({
    name: r.name, points: thinned(r.history), residual: r.residual, at: k }));
  const longest = Math.max(0, ...rows.filter(solved).map(r => r.iterations)), limit = 3 * longest;
  const cut = limit > 0 && rows.some(r => r.history && r.history.length - 1 > limit);
  const chart = list.length && residualChart(list, a.rtol, "Residual of each iteration of " + plural(list.length, "combination"), limit);
  return chart ? wide(card("Convergence", legend(list.map((c, k) => [k, breakable(c.name)])), chart,
    note("A circle is the residual recomputed from A, x and b at the end." +
      (cut ? " Curves of combinations that failed are cut at iteration " + count(limit) + "." : "")))) : null;
}

/* At most about 2000 points of a history, the smallest and the largest of each piece. */
function thinned(history) {
  const step = Math.max(1, Math.ceil(history.length / 1000)), points = [];
  for (let k = 0; k < history.length; k += step) {
    let low = k, high = k;
    for (let i = k; i < Math.min(k + step, history.length); i++) {
      if (history[i] < history[low]) low = i;
      if (history[i] > history[high]) high = i;
    }
    for (const i of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) points.push([i, history[i]]);
  }
  return points;
}

function solverTable(rows, name) {
  const fastest = rows.filter(solved).sort((p, q) => p.seconds - q.seconds)[0];
  const interval = r => isNumber(r.seconds_low) ? seconds(r.seconds_low) + " to " + seconds(r.seconds_high) : "\u2013";
  return wide(card("All numbers", table("Solvers on " + name, ["combination", "outcome", "time", "interval", "over the fastest", "set-up", "solve", "iterations",
    "residual", "memory", "format", "why not, or another name"],
  rows.map(r => [breakable(r.name), r.outcome, { text: seconds(r.seconds), best: r === fastest }, interval(r),
    solved(r) && fastest ? ratio(r.seconds / fastest.seconds) : "\u2013", seconds(r.setup_seconds), seconds(r.solve_seconds), count(r.iterations),
    small(r.residual), bytes(r.memory), r.format || "\u2013", { text: [r.reason, r.aliases && "the same as " + r.aliases].filter(Boolean).join("; "), prose: true }]))));
}

function performanceProfile(data) {
  const p = data.profile;
  if (!p || !p.curves || !p.curves.length || data.matrices.length < 2) return null;
  const most = Math.max(2, ...p.ratio.filter(isNumber)), shown = p.curves.slice(0, 10);
  const stairs = share => p.ratio.flatMap((x, k) => k ? [[x, share[k - 1]], [x, share[k]]] : [[x, share[k]]]);
  const at = (c, x) => c.share[p.ratio.reduce((found, r, k) => r <= x ? k : found, 0)];
  const ticks = (low, high, many) => linearTicks(0, 1, Math.min(5, many)).map(t => ({ at: t.at, text: percent(t.at) }));
  return wide(card("Performance profile", legend(shown.map((c, k) => [k, breakable(c.name)])), lineChart({
    label: "Performance profile of Dolan and Mor\u00e9: the share of matrices that each combination solves within a factor of the best time",
    xLabel: "time over that of the fastest, at most", yLabel: "share of the matrices", logX: true, xLow: 1, xHigh: most, low: 0, high: 1,
    yTicks: ticks, xTicks: ratioTicks,
    curves: shown.map((c, k) => ({ name: c.name, style: k, points: stairs(c.share) })),
    step: (x, move) => x * most ** (move / 40),
    read: x => ({ x: x, text: "at most " + ratio(x) + " times: " + shown.map(c => c.name + " " + percent(at(c, x))).join("; ") }) }),
  table("The same in numbers: the share of the matrices that are solved within a factor of the fastest time",
    ["combination", "the fastest", "at most 2 times", "at most 10 times", "solved at all"],
    shown.map(c => [breakable(c.name), percent(at(c, 1)), percent(at(c, 2)), percent(at(c, 10)), percent(c.share[c.share.length - 1])])),
  note("After Dolan and Mor\u00e9. Higher is better; the left end is how often a combination is the fastest, the right end how many systems it solves.")));
}

function solverMatrix(data, a, k) {
  const rows = data.rows.filter(r => r.matrix === a.matrix.source), extra = (data.page.matrices || [])[k] || {};
  return el("section", { id: "m" + k, "aria-label": a.matrix.source }, el("h2", null, breakable(a.matrix.source)),
    el("p", { class: "soft" }, count(a.matrix.rows) + " \u00d7 " + count(a.matrix.cols) + ", " + count(a.matrix.entries) + " entries; b: " + a.rhs +
      "; to |b \u2212 Ax| \u2264 " + (a.atol > 0 ? "max(" + small(a.rtol) + " |b|, " + small(a.atol) + ")" : small(a.rtol) + " |b|") + "; " +
      plural(a.rounds, "round") + "."),
    data.matrices.length > 1 && el("p", null, sentence(a.verdict)),
    el("div", { class: "grid" }, solverBars(rows), solverCurves(rows, a), solverTable(rows, a.matrix.source), rowLengths(extra.row_lengths, extra),
      spy(extra.spy, a.matrix), wide(ranksCard(extra.ranks, data))));
}

function solversPage(data) {
  const any = data.rows.some(solved);
  return [verdict(data.interrupted || !any ? false : null, (data.interrupted ? "Interrupted: some results are missing. " : "") + sentence(data.verdict),
    "Every combination solves the same system to the same true residual; times are medians of repeated rounds."),
  contents(data.matrices.map(a => a.matrix.source)),
  el("div", { class: "grid" }, performanceProfile(data)), data.matrices.map((a, k) => solverMatrix(data, a, k)),
  el("div", { class: "grid" }, environment(data), repeat(data), rawJson(data))];
}
