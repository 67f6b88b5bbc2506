/* --- gsolve compare: formats --------------------------------------------------------------------------------- */

const COUNTS = [10, 100, 1000, 10000];
const measured = a => a.rows.filter(r => isNumber(r.product_seconds));
const stepsOf = a => a.solves ? "iterations" : "products";

/* The time of an iteration with its interval, in seconds. */
const stepOf = (a, r) => a.solves && isNumber(r.iteration_seconds)
  ? [r.iteration_seconds, r.iteration_least_seconds, r.iteration_most_seconds]
  : [r.product_seconds, r.product_least_seconds, r.product_most_seconds];

function spread(a) { // half the range of csr's times over their median
  const csr = a.rows.find(r => r.format === "csr"), [middle, least, most] = csr ? stepOf(a, csr) : [];
  return isNumber(middle) && isNumber(most) ? Math.max(most - middle, middle - least) / middle : null;
}

function winner(a, n) {
  const found = (a.fastest || []).find(f => f.iterations === n);
  return found && a.rows.find(r => r.format === found.format && r["seconds_at_" + n] === found.seconds);
}

function formatSentence(a) {
  const best = winner(a, 1000), csr = a.rows.find(r => r.format === "csr"), noise = spread(a);
  if (!best || !csr) return "No format was measured to the end.";
  const gain = csr.seconds_at_1000 / best.seconds_at_1000;
  if (best === csr) return "csr is the fastest for 1000 " + stepsOf(a) + ".";
  if (isNumber(noise) && gain < 1 + noise) {
    return "No format is clearly faster than csr for 1000 " + stepsOf(a) + "; " + best.format + " is the first by " + percent(gain - 1) + ".";
  }
  return best.format + " is the fastest for 1000 " + stepsOf(a) + ", build included: " + ratio(gain) + " times as fast as csr.";
}

const noiseSentence = a => isNumber(spread(a)) ? " Times with csr vary by " + percent(spread(a)) + "; smaller differences mean nothing." : "";

function productBars(a, index) {
  const rows = measured(a).slice().sort((p, q) => p.product_seconds - q.product_seconds);
  const copied = isNumber(a.copy_bytes_per_second); // not over ranks
  return card("One product y = A x", bars(rows.map(r => ({
    name: breakable(r.format), parts: [{ value: r.product_seconds }], text: seconds(r.product_seconds), low: r.product_least_seconds,
    high: r.product_most_seconds, remark: copied ? percent(r.share_of_copy) : null })),
  { caption: "Median time, " + (copied ? "the range over the rounds, and the bandwidth in percent of a memory copy" : "and the range over the rounds"),
    most: cap(rows.map(r => r.product_seconds)) }), note((copied ? "Above 100 % part of the data came from a cache." : "Times are those of the slowest rank.") + capNote(rows.map(r => r.product_seconds))));
}

/* The longest bar that is drawn in full: long ones would hide the differences between the others. */
const cap = values => Math.min(1.15 * Math.max(...values), 6 * Math.min(...values));
const capNote = values => Math.max(...values) > 6 * Math.min(...values) ? " Bars longer than 6 times the shortest are cut." : "";

const stages = names => el("ul", { class: "legend" }, names.map((name, k) => el("li", null, el("i", { class: "p" + k }), name)));

function solveBars(a) {
  const rows = measured(a).filter(r => isNumber(r.total_seconds) && isNumber(r.solve_seconds)).sort((p, q) => p.total_seconds - q.total_seconds);
  if (!rows.length) return null;
  return card("Complete solve", stages(["build", "set-up", "iterations"]), bars(rows.map(r => ({
    name: breakable(r.format), parts: [{ value: r.build_seconds, kind: "p0" }, { value: (a.precond_seconds || 0) + r.setup_seconds, kind: "p1" },
      { value: r.solve_seconds, kind: "p2" }],
    text: seconds(r.total_seconds), remark: (r.outcome === "converged" ? "" : r.outcome + ", ") + r.iterations + " it." })),
  { caption: "Time to build the format, to set up preconditioner and method, and to iterate to the same true residual" }),
  note("The set-up is the same for all formats."));
}

function costCurves(a) {
  const csr = a.rows.find(r => r.format === "csr"), rows = measured(a);
  if (!csr || !isNumber(csr.product_seconds)) return null;
  const cost = (r, n) => r.build_seconds + n * stepOf(a, r)[0], relative = (r, n) => cost(r, n) / cost(csr, n);
  const points = r => Array.from({ length: 121 }, (_, k) => 10 ** (k / 24)).map(n => [n, relative(r, n)]);
  const ends = rows.map(r => relative(r, 1e5)), starts = rows.map(r => relative(r, 1));
  const low = Math.log10(Math.max(0.2, 0.95 * Math.min(...ends, ...starts, 0.9)));
  const high = Math.log10(Math.min(3, 1.05 * Math.max(...ends, ...starts, 1.15)));
  return wide(card("Cost relative to csr", legend(rows.map(r => [a.rows.indexOf(r), breakable(r.format)])),
    lineChart({
      label: "Time of the build and n " + stepsOf(a) + " over that of csr", xLabel: "n, number of " + stepsOf(a),
      yLabel: "time / time with csr", logX: true, logY: true, xLow: 1, xHigh: 1e5, low: low, high: high, yTicks: ratioTicks, xTicks: decadeTicks,
      curves: rows.map(r => ({ name: r.format, style: a.rows.indexOf(r), points: points(r) })),
      step: (n, move) => n * 10 ** (move / 4),
      read: n => ({ x: n, text: "n = " + count(Math.round(n)) + ": " + rows.map(r => [r.format, relative(r, n)]).sort((p, q) => p[1] - q[1])
        .slice(0, 5).map(([name, v]) => name + " " + ratio(v)).join("; ") }) }),
    note("Time of the build and n " + stepsOf(a) + " over that with csr; below 1 the format is faster. Both axes are logarithmic.")));
}

function formatTable(a) {
  const least = key => Math.min(...measured(a).map(r => isNumber(r[key]) ? r[key] : Infinity));
  const best = { product_seconds: least("product_seconds"), iteration_seconds: least("iteration_seconds"),
    total_seconds: Math.min(...measured(a).map(r => r.outcome === "converged" && isNumber(r.total_seconds) ? r.total_seconds : Infinity)) };
  const time = (r, key) => ({ text: seconds(r[key]), best: isNumber(r[key]) && r[key] === best[key] });
  const row = (r, k) => {
    if (!isNumber(r.product_seconds)) return [dotted(k, r.format), { text: r.error || "interrupted", prose: true, span: 16 }];
    return [dotted(k, r.format), seconds(r.build_seconds), ratio(r.build_products), time(r, "product_seconds"), ratio(r.gflops), rate(r.bytes_per_second),
      ratio(r.share_of_copy), bytes(r.bytes), percent(r.padding), count(r.iterations), time(r, "iteration_seconds"), time(r, "total_seconds"),
      r.outcome === "converged" ? small(r.residual) : r.outcome, r.overtakes ? count(r.overtakes_at) : k ? "never" : "\u2013"]
      .concat(COUNTS.slice(1).map(n => ({ text: seconds(r["seconds_at_" + n]), best: r === winner(a, n) })));
  };
  return wide(card("All numbers", table("Formats of " + a.matrix.source, ["format", "build", "build / product", "product", "GFLOP/s", "bandwidth",
    "/ copy", "a product moves", "padding", "iterations", "an iteration", "total", "residual", "faster than csr from n"]
    .concat(COUNTS.slice(1).map(n => "build and " + count(n) + " " + stepsOf(a))), a.rows.map(row))));
}

function formatMatrix(data, a, k) {
  const extra = data.page.matrices[k] || {};
  const method = a.solves ? a.solver + " with " + a.precond + ", to |b \u2212 Ax| \u2264 " +
    (a.atol > 0 ? "max(" + small(a.rtol) + " |b|, " + small(a.atol) + ")" : small(a.rtol) + " |b|") : "the matrix is not square: products only";
  return el("section", { id: "m" + k, "aria-label": a.matrix.source }, el("h2", null, breakable(a.matrix.source)),
    el("p", { class: "soft" }, count(a.matrix.rows) + " \u00d7 " + count(a.matrix.cols) + ", " + count(a.matrix.entries) + " entries, " +
      (extra.symmetry || "") + "; b: " + a.rhs + "; " + method + "; " + plural(a.rounds, "round") +
      (isNumber(a.copy_bytes_per_second) ? "; a memory copy reaches " + rate(a.copy_bytes_per_second) : "") + "."),
    data.matrices.length > 1 && el("p", null, formatSentence(a) + noiseSentence(a)),
    tiles(COUNTS.map(n => [n, winner(a, n)]).filter(([, r]) => r).map(([n, r]) =>
      ["Fastest for " + count(n) + " " + stepsOf(a), r.format, seconds(r["seconds_at_" + n]) + ", build included"])),
    el("div", { class: "grid" }, measured(a).length > 0 && [productBars(a), solveBars(a), costCurves(a)], formatTable(a), rowLengths(a.row_lengths, extra),
      spy(extra.spy, a.matrix), wide(ranksCard(extra.ranks, data))));
}

function means(data) {
  if (!data.means || !data.means.length) return null;
  const keys = ["product", "iteration", "total", "at_10", "at_100", "at_1000", "at_10000"];
  const most = Object.fromEntries(keys.map(key => [key, Math.max(...data.means.filter(m => m.matrices === data.matrices.length)
    .map(m => isNumber(m[key]) ? m[key] : 0))]));
  return wide(card("All " + data.matrices.length + " matrices",
    table("Geometric means of the time with csr over the time with the format; above 1 the format is faster",
      ["format", "matrices", "product", "iteration", "total"].concat(COUNTS.map(n => "build and " + count(n)), "build / product"),
      data.means.map((m, k) => [dotted(k, m.format), m.matrices].concat(
        keys.map(key => ({ text: ratio(m[key]), best: m[key] === most[key] && m.matrices === data.matrices.length })), ratio(m.build_products)))),
    note("The means of a format are over the matrices that it can store.")));
}

function contents(list) {
  return list.length > 1 && el("nav", { "aria-label": "matrices" }, el("ul", null, list.map((name, k) =>
    el("li", null, el("a", { href: "#m" + k }, name)))));
}

function formatsPage(data) {
  const list = data.matrices;
  return [verdict(data.interrupted ? false : null, (data.interrupted ? "Interrupted: some results are missing. " : "") + sentence(data.verdict),
    "Every round builds each format, solves with it and multiplies with it; times are medians over the rounds." +
      (list.length === 1 ? noiseSentence(list[0]) : "")),
  contents(list.map(a => a.matrix.source)),
  el("div", { class: "grid" }, means(data)), list.map((a, k) => formatMatrix(data, a, k)),
  el("div", { class: "grid" }, environment(data), repeat(data), rawJson(data))];
}
