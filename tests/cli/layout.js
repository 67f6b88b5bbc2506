/* layout.js: what is wrong with the layout of a page: text that overlaps other text, text outside its picture,
 * and elements that are wider than their place. Elements that scroll are allowed to. */
(async () => {
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)));
  const faults = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push("the page is " + root.scrollWidth + " wide, the window " + root.clientWidth);
  const scrolls = node => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
  const name = node => node.tagName.toLowerCase() + (node.classList.length ? "." + node.classList[0] : "");
  for (const node of document.querySelectorAll("body *")) {
    if (node instanceof SVGElement || node.closest("noscript") || scrolls(node)) continue;
    if (node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline") {
      faults.push(name(node) + " holds " + node.scrollWidth + " in " + node.clientWidth + ": " + node.textContent.slice(0, 60));
    }
  }
  const boxes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script,noscript,title,details:not([open]) > pre") || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) boxes.push({ box, node, parent });
    const picture = parent.closest("svg"), place = picture && picture.getBoundingClientRect();
    if (!picture) continue;
    const box = parent.getBoundingClientRect();
    if (box.left < place.left - 1 || box.right > place.right + 1 || box.top < place.top - 1 || box.bottom > place.bottom + 1) {
      faults.push("'" + node.data + "' leaves its picture");
    }
  }
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  boxes.sort((a, b) => a.box.top - b.box.top);
  boxes.forEach((a, k) => {
    for (let i = k + 1; i < boxes.length && boxes[i].box.top < a.box.bottom; i++) {
      const b = boxes[i];
      if (a.parent !== b.parent && overlap(a.box, b.box)) faults.push("'" + a.node.data.slice(0, 40) + "' overlaps '" + b.node.data.slice(0, 40) + "'");
    }
  });
  return { faults: faults.slice(0, 20), texts: boxes.length };
})()
