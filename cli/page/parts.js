/* --- parts of pages ----------------------------------------------------------------------------------- */

let cards = 0;

function card(title, ...content) {
  const id = "card" + cards++;
  return el("section", { class: "card", "aria-labelledby": id }, el("h3", { id: id }, title), content);
}

function wide(node) {
  if (node) node.classList.add("wide");
  return node;
}

const note = (...text) => el("p", { class: "note" }, text);

function verdict(good, headline, ...lines) { // good: true, false, or null for neither
  const kind = good === null ? "" : good ? " good" : " bad";
  const sign = good === null ? "" : good ? "\u2713 " : "\u2717 ";
  return el("section", { class: "card verdict" + kind, "aria-label": "result" },
    el("strong", null, sign && el("span", { class: "sign", "aria-hidden": "true" }, sign), headline),
    lines.filter(Boolean).map(line => el("p", null, line)));
}

function tiles(items) { // [name, value, remark]
  return el("dl", { class: "tiles" }, items.filter(Boolean).map(([name, value, remark]) =>
    el("div", { class: "tile" }, el("dt", null, name), el("dd", null, value, remark && el("small", null, remark)))));
}

function pairs(items) { // [name, value, remark]
  return el("dl", { class: "pairs" }, items.filter(item => item && item[1] !== undefined && item[1] !== null && item[1] !== "")
    .map(([name, value, remark]) => [el("dt", null, name), el("dd", null, value, remark && el("small", null, remark))]));
}

async function copy(text, button, code) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (refused) { // the page was opened as a file
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function command(text) {
  const code = el("code", null, text), button = el("button", { type: "button", "aria-label": "Copy the command" }, "Copy");
  button.addEventListener("click", () => copy(text, button, code));
  return el("div", { class: "command" }, code, button);
}

const wordOf = name => el("span", null, name).textContent; // the nodes of name may move on

/* A table in a box that scrolls. heads: of the columns; rows: [name, cell...], a cell is a text or
 * {text, best, prose, span}. */
function table(caption, heads, rows) {
  const cell = value => value && value.text !== undefined
    ? el("td", { class: [value.best && "best", value.prose && "prose"].filter(Boolean).join(" ") || null,
      colspan: value.span || null }, value.text)
    : el("td", null, value);
  return el("div", { class: "box", tabindex: 0, role: "region", "aria-label": caption },
    el("table", { class: rows.some(row => wordOf(row[0]).length > 6) ? "named" : null }, el("caption", null, el("span", null, caption)),
      el("thead", null, el("tr", null, heads.map(head => el("th", { scope: "col", class: /^(chosen|why)/.test(head) ? "left" : head.length > 16 ? "long" : null }, head)))),
      el("tbody", null, rows.map(([name, ...cells]) => el("tr", null, el("th", { scope: "row" }, name), cells.map(cell))))));
}

const dotted = (k, name) => [el("span", { class: "dot " + styleOf(k).colour, "aria-hidden": "true" }), breakable(name)];

/* Bars. rows: {name, parts[{value, kind}], text, remark, low, high}; o: caption, limit (a vertical line),
 * most (the value of the whole width). low, high: an interval. */
function bars(rows, o) {
  const sum = row => row.parts.reduce((all, part) => all + (part.value || 0), 0);
  const most = o.most || Math.max(...rows.map(row => Math.max(sum(row), row.high || 0)), o.limit || 0, 1e-300);
  const width = value => Math.max(0, Math.min(100, 100 * value / most)).toFixed(2) + "%";
  const place = (node, left, wide) => {
    node.style.left = "min(" + width(left) + ",100% - 4px)";
    if (wide !== undefined) node.style.width = width(wide);
    return node;
  };
  const track = row => el("div", { "aria-hidden": "true" },
    row.parts.map(part => {
      const node = el("i", { class: part.kind || null });
      node.style.width = width(part.value || 0);
      return node;
    }),
    isNumber(row.low) && isNumber(row.high) && place(el("i", { class: "range" }), Math.min(row.low, 0.99 * most),
      Math.min(row.high, most) - Math.min(row.low, 0.99 * most)),
    o.limit && place(el("i", { class: "limit" }), o.limit));
  return el("table", { class: "bars" }, o.caption && el("caption", null, o.caption),
    el("tbody", null, rows.map(row => el("tr", null, el("th", { scope: "row" }, row.name),
      el("td", { class: "track" }, track(row)),
      el("td", { class: "value" }, row.text, row.remark && [" ", el("small", null, row.remark)])))));
}

/* --- the matrix ----------------------------------------------------------------------------------------- */

function rowLengths(lengths, facts) {
  if (!lengths) return null;
  let first = lengths.findIndex(n => n > 0), last = lengths.length - 1;
  if (first < 0) return null;
  while (lengths[last] === 0) last--;
  const name = k => k === 0 ? "0" : k === 1 ? "1" : count(2 ** (k - 1)) + "\u2013" + count(2 ** k - 1);
  const rows = [];
  for (let k = first; k <= last; k++) rows.push({ name: name(k), parts: [{ value: lengths[k] }], text: count(lengths[k]) });
  return card("Row lengths",
    bars(rows, { caption: "Entries in a row (left), and the number of rows of that length (right)" }),
    facts && isNumber(facts.longest_row) && note(facts.shortest_row === facts.longest_row ? "Every row has " + count(facts.longest_row) + (facts.longest_row === 1 ? " entry." : " entries.")
      : "Rows have " + count(facts.shortest_row) + " to " +
      count(facts.longest_row) + (facts.longest_row === 1 ? " entry" : " entries") +
      ", " + three(facts.mean_row) + " on average."));
}

function spy(grid, matrix) {
  if (!grid) return null;
  const most = Math.max(...grid.counts), levels = 6;
  const largest = Math.max(matrix.rows, matrix.cols), size = 260;
  const width = Math.max(60, size * matrix.cols / largest), height = Math.max(60, size * matrix.rows / largest);
  const dx = width / grid.cols, dy = height / grid.rows, left = 58, top = 18;
  const level = n => Math.max(0, Math.min(levels - 1, most > 1 ? Math.floor(levels * Math.log(n) / Math.log(most + 1)) : levels - 1));
  const path = Array.from({ length: levels }, () => "");
  grid.counts.forEach((n, k) => {
    if (n === 0) return;
    const i = Math.floor(k / grid.cols), j = k % grid.cols;
    path[level(n)] += "M" + (left + j * dx).toFixed(2) + " " + (top + i * dy).toFixed(2) + "h" + dx.toFixed(2) + "v" + dy.toFixed(2) + "h-" +
      dx.toFixed(2) + "z";
  });
  const opacity = k => (0.25 + 0.75 * k / (levels - 1)).toFixed(2);
  const from = k => k === 0 ? 1 : Math.ceil((most + 1) ** (k / levels));
  const text = (x, y, anchor, words) => svg("text", { class: "tick", x: x, y: y, "text-anchor": anchor }, words);
  const key = [];
  for (let k = 0; k < levels; k++) {
    if (path[k]) key.push(el("li", null, svg("svg", { width: 12, height: 12, "aria-hidden": "true" },
      svg("rect", { class: "cell", width: 12, height: 12, "fill-opacity": opacity(k) })), el("span", null, "\u2265 " + count(from(k) * grid.every))));
  }
  return card("Pattern of the matrix", el("div", { class: "spy" },
    svg("svg", { width: left + width + 12, height: top + height + 8, viewBox: "0 0 " + (left + width + 12) + " " + (top + height + 8),
      role: "img", "aria-label": "Where the entries of the matrix are: " + count(matrix.rows) + " rows, " + count(matrix.cols) + " columns" },
    path.map((d, k) => d && svg("path", { class: "cell", d: d, "fill-opacity": opacity(k), "shape-rendering": "crispEdges" })),
    svg("rect", { class: "frame", x: left, y: top, width: width, height: height }),
    text(left, top - 6, "start", "column 0"), width > 150 && text(left + width, top - 6, "end", count(matrix.cols - 1)),
    text(left - 5, top + 11, "end", "row 0"), height > 30 && text(left - 5, top + height, "end", count(matrix.rows - 1))),
    el("ul", { class: "legend", "aria-label": "entries in a cell" }, key)),
  note("Entries in each cell of a grid of " + grid.rows + " \u00d7 " + grid.cols + " cells" +
    (grid.every > 1 ? ", counted in every " + grid.every + "th row" : "") + ". The shade is logarithmic."));
}

/* The rows of each rank; null in one process. */
function ranksCard(list, data) {
  if (!list) return null;
  return card("Ranks", table(plural(data.ranks, "rank") + (data.ranks_started > data.ranks ? " of " + count(data.ranks_started) : "") + " by " + data.transport,
    ["rank", "rows", "entries", "ghosts", "neighbours"], list.map(r => [r.rank, count(r.rows), count(r.entries), count(r.ghosts), count(r.neighbours)])),
  data.ranks_reason && note(sentence(data.ranks_reason)),
  note("A ghost is an element of x that the rank needs and another one owns; neighbours are the owners of its ghosts."));
}

function rawJson(data) {
  const pre = el("pre", { tabindex: 0, "aria-label": "JSON" }), details = el("details", { class: "card wide" }, el("summary", null, "The result as JSON"), pre);
  details.addEventListener("toggle", () => { if (!pre.textContent) pre.textContent = JSON.stringify(data, null, 1); });
  return details;
}
