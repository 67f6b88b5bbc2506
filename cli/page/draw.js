/* --- elements: text enters as text nodes and attributes only, never as HTML ------------------------ */

function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false) {
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
  return node;
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);

/* --- numbers ---------------------------------------------------------------------------------------- */

const isNumber = x => typeof x === "number" && isFinite(x);

function three(x) { // three digits
  const size = Math.abs(x);
  return x.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

function seconds(s) {
  if (!isNumber(s)) return "\u2013";
  if (s === 0) return "0 s";
  if (s < 0.9995e-3) return three(1e6 * s) + " \u00b5s";
  if (s < 0.9995) return three(1e3 * s) + " ms";
  return s < 600 ? three(s) + " s" : (s / 60).toFixed(0) + " min";
}

function bytes(b) {
  if (!isNumber(b)) return "\u2013";
  for (const [unit, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (b >= unit) return three(b / unit) + " " + name;
  }
  return b + " B";
}

const count = n => isNumber(n) ? n.toLocaleString("en-US").replace(/,/g, "\u202f") : "\u2013";
const plural = (n, noun) => count(n) + " " + noun + (n === 1 ? "" : "s");
const small = x => isNumber(x) ? (x === 0 ? "0" : x.toExponential(1).replace(".0e", "e")) : "\u2013"; // 7.2e-9
const percent = x => x === 0 ? "0 %" : isNumber(x) ? (100 * x).toFixed(100 * x < 9.95 ? 1 : 0) + " %" : "\u2013";
const rate = x => isNumber(x) ? three(1e-9 * x) + " GB/s" : "\u2013";
const ratio = x => isNumber(x) ? (x < 100 ? x.toFixed(2) : x.toFixed(0)) : "\u2013";

const sentence = text => text && text[text.length - 1] !== "." ? text + "." : text || "";

/* text that may break after commas and underscores. */
const breakable = text => String(text).split(/(?<=[,_+])/).flatMap((part, k) => k ? [el("wbr"), part] : [part]);

function power(exponent) { // 10 to the exponent
  const digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
  return "10" + String(exponent).replace(/-/, "\u207b").replace(/\d/g, d => digits[d]);
}

/* --- axes --------------------------------------------------------------------------------------------- */

function linearTicks(low, high, most, smallest) {
  const least = Math.max(smallest || 0, (high - low) / Math.max(1, most)), unit = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(k => k * unit).find(k => k >= least * (1 - 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) {
    ticks.push({ at: k * step, text: count(+(k * step).toPrecision(9)) });
  }
  return ticks;
}

function decadeTicks(low, high, most) { // low, high: decimal logarithms
  const step = Math.max(1, Math.ceil((high - low) / Math.max(1, most))), ticks = [];
  for (let k = Math.floor(high + 1e-9); k >= low - 1e-9; k -= step) ticks.push({ at: k, text: power(k) });
  return ticks;
}

function ratioTicks(low, high, most) { // simple ratios; low, high: decimal logarithms
  const wanted = [1, 10, 100, 1000, 0.1, 2, 0.5, 5, 0.2, 20, 50, 200, 500, 3, 0.7, 1.5, 0.8, 1.25, 0.9, 1.1, 0.95, 1.05];
  const apart = (high - low) / Math.max(1, most), found = [];
  for (const at of wanted.map(Math.log10)) {
    if (at >= low - 1e-9 && at <= high + 1e-9 && found.every(f => Math.abs(f - at) >= apart)) found.push(at);
  }
  return found.map(at => ({ at: at, text: String(+(10 ** at).toPrecision(3)) }));
}

/* --- line charts -------------------------------------------------------------------------------------- */

const styleOf = k => ({ colour: "k" + k % 7, dash: "d" + k % 4 });

function sample(k) { // the line of curve k, for a legend
  const style = styleOf(k);
  return svg("svg", { width: 26, height: 12, "aria-hidden": "true" },
    svg("line", { class: "curve " + style.colour + " " + style.dash, x1: 0, x2: 26, y1: 6, y2: 6 }));
}

function legend(items) {
  return el("ul", { class: "legend" }, items.map(([k, name]) => el("li", null, sample(k), el("span", null, name))));
}

const wideAs = text => 7.2 * text.length; // a little more than the width of text

/* A chart of curves. o: label, xLabel, yLabel, low, high (of y, decimal logarithms if o.logY), xLow, xHigh,
 * curves[{name, style, points[[x, y]], end}], limit{y, name}, yTicks, xTicks, read(x) -> text, step. */
function lineChart(o) {
  const holder = el("div", { class: "chart" });
  const readout = el("p", { class: "readout", "aria-live": "polite" }, "Move over the chart, or select it and use the arrow keys, to read values.");
  const logX = o.logX ? Math.log10 : x => x, logY = o.logY ? Math.log10 : y => y;
  const xLow = logX(o.xLow), xHigh = logX(o.xHigh);
  let cursor = null, drawn = 0;

  function draw(width) {
    const height = Math.round(Math.min(380, Math.max(230, width * 0.42)));
    const yTicks = o.yTicks(o.low, o.high, Math.floor(height / 36));
    const left = 12 + 16 + Math.max(...yTicks.map(t => wideAs(t.text))), right = width - 14, top = 12, bottom = height - 48;
    const x = v => left + (logX(v) - xLow) / (xHigh - xLow) * (right - left);
    const y = v => top + (o.high - v) / (o.high - o.low) * (bottom - top);
    const clamp = v => Math.min(bottom + 2, Math.max(top - 2, v));
    const path = points => {
      let text = "", pen = "M";
      for (const [a, b] of points) {
        if (!isNumber(b) || (o.logY && b <= 0)) continue;
        text += pen + x(a).toFixed(1) + " " + clamp(y(logY(b))).toFixed(1);
        pen = "L";
      }
      return text;
    };
    const xTicks = o.xTicks(xLow, xHigh, Math.floor((right - left) / 75));
    const inside = t => Math.min(right + 12 - wideAs(t.text) / 2, left + (t.at - xLow) / (xHigh - xLow) * (right - left));
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": o.label, tabindex: 0 },
      yTicks.map(t => [
        svg("line", { class: "grid-line", x1: left, x2: right, y1: y(t.at), y2: y(t.at) }),
        svg("text", { class: "tick", x: left - 6, y: y(t.at) + 4, "text-anchor": "end" }, t.text)]),
      xTicks.map(t => svg("text", { class: "tick", x: inside(t), y: bottom + 18, "text-anchor": "middle" }, t.text)),
      svg("path", { class: "grid-line", d: "M" + left + " " + top + "V" + bottom + "H" + right }),
      svg("text", { x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }, o.xLabel),
      svg("text", { transform: "translate(12 " + (top + bottom) / 2 + ")rotate(-90)", "text-anchor": "middle" }, o.yLabel),
      o.limit && svg("line", { class: "limit-line", x1: left, x2: right, y1: y(logY(o.limit.y)), y2: y(logY(o.limit.y)) }),
      o.limit && svg("text", { class: "tick limit", x: left + 6, y: y(logY(o.limit.y)) - 5 }, o.limit.name),
      o.curves.map(c => [
        svg("path", { class: "curve " + styleOf(c.style).colour + " " + styleOf(c.style).dash, d: path(c.points) }),
        c.end && isNumber(c.end[1]) && (!o.logY || c.end[1] > 0) && svg("circle", { class: "point " + styleOf(c.style).colour,
          cx: x(c.end[0]), cy: clamp(y(logY(c.end[1]))), r: 4.5 })]));
    const line = svg("line", { class: "cursor", y1: top, y2: bottom, visibility: "hidden" });
    const show = value => {
      if (!o.read) return;
      cursor = Math.min(o.xHigh, Math.max(o.xLow, value));
      const read = o.read(cursor);
      line.setAttribute("x1", x(read.x));
      line.setAttribute("x2", x(read.x));
      line.setAttribute("visibility", "visible");
      readout.textContent = read.text;
    };
    picture.append(line);
    picture.addEventListener("pointermove", event => {
      const box = picture.getBoundingClientRect(), at = (event.clientX - box.left) * width / box.width;
      const value = xLow + (at - left) / (right - left) * (xHigh - xLow);
      show(o.logX ? 10 ** value : value);
    });
    picture.addEventListener("keydown", event => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!move || !o.read) return;
      event.preventDefault();
      show(cursor === null ? (move > 0 ? o.xLow : o.xHigh) : o.step(cursor, move));
    });
    holder.replaceChildren(picture);
  }

  new ResizeObserver(entries => {
    const width = Math.max(260, Math.floor(entries[0].contentRect.width));
    if (width !== drawn) draw(drawn = width);
  }).observe(holder);
  draw(640);
  return el("div", null, holder, o.read && readout);
}
