/* --- the page --------------------------------------------------------------------------------------------------- */

const data = JSON.parse(document.getElementById("result").textContent);
const kinds = data.compares === "solvers" ? ["Solvers compared", solversPage] : data.matrices ? ["Storage formats compared", formatsPage]
  : [data.matrix.source, solvePage];

document.title = kinds[0] + " \u2013 gsolve";
document.getElementById("page").append(
  el("p", { class: "brand" }, el("b", null, "gsolve"), " " + (data.gsolve || data.version || "") + " \u00b7 " + data.page.date + " \u00b7 " +
    (data.device_description || data.description || data.device || "").split(";")[0]),
  el("h1", null, breakable(kinds[0])), ...kinds[1](data).flat().filter(Boolean));
