"use strict";
// Every tree is a flat list of rows in pre-order; its shape is in their levels.
const trees = [...document.querySelectorAll("[role=tree]")].map((element) => {
  const rows = [...element.children];
  const levels = rows.map((row) => Number(row.ariaLevel || row.dataset.level));
  const parents = [];
  const open = [];
  rows.forEach((row, at) => {
    while (open.length && levels[open[open.length - 1]] >= levels[at]) open.pop();
    parents.push(open.length ? open[open.length - 1] : -1);
    if (!row.classList.contains("gap")) open.push(at);
  });
  return { element, rows, levels, parents };
});
const home = new Map();
trees.forEach((tree) => tree.rows.forEach((row, at) => home.set(row, { tree, at })));
const path = document.getElementById("path");
let pinned = null;
let visited = null; // the row that had the focus last

const isFolded = (row) => row.getAttribute("aria-expanded") === "false";
const isUnit = (row) => row && row.getAttribute("role") === "treeitem";

function refresh(tree) {
  let below = Infinity;
  tree.rows.forEach((row, at) => {
    row.hidden = tree.levels[at] > below;
    if (!row.hidden) below = isFolded(row) ? tree.levels[at] : Infinity;
  });
  const focusable = tree.rows.find((row) => row.tabIndex === 0);
  if (focusable && focusable.hidden) moveTabStop(tree, visibleAncestor(focusable));
}

function visibleAncestor(row) {
  let { tree, at } = home.get(row);
  while (tree.rows[at].hidden) at = tree.parents[at];
  return tree.rows[at];
}

// The unit of the same tokens in the other analysis, where there is one.
function counterpart(row) {
  const section = row.closest("section");
  const own = row.closest("[role=tree]");
  for (const other of section.querySelectorAll("[role=tree]")) {
    if (other !== own) {
      const found = other.querySelector(`[data-tokens="${row.dataset.tokens}"]`);
      if (found) return found;
    }
  }
  return null;
}

function setFolded(row, folded) {
  for (const each of [row, counterpart(row)]) {
    if (each && each.hasAttribute("aria-expanded")) {
      each.setAttribute("aria-expanded", String(!folded));
      refresh(home.get(each).tree);
    }
  }
}

function foldFrom(level) {
  for (const tree of trees) {
    tree.rows.forEach((row, at) => {
      if (row.hasAttribute("aria-expanded")) row.setAttribute("aria-expanded", String(tree.levels[at] < level));
    });
    refresh(tree);
  }
}

// Folds the largest units inside a paragraph, so that a long text is a line for each, or unfolds everything.
const paragraphs = document.getElementById("paragraphs");
function foldParagraphs(folded) {
  for (const tree of trees) {
    for (const row of tree.rows) {
      if (row.hasAttribute("aria-expanded")) {
        row.setAttribute("aria-expanded", String(!(folded && row.hasAttribute("data-paragraph"))));
      }
    }
    refresh(tree);
  }
  paragraphs.setAttribute("aria-pressed", String(folded));
}

function describe(row) {
  const role = { n: "nucleus", s: "satellite" }[row.dataset.role] || "";
  const relation = row.querySelector(".relation");
  const number = row.querySelector(".number");
  return [role, relation ? relation.textContent : "", number ? number.textContent : ""].filter(Boolean).join(" ");
}

function highlight(row) {
  for (const each of document.querySelectorAll(".path, .here")) each.classList.remove("path", "here");
  path.textContent = "";
  if (!row) return;
  for (const each of [row, counterpart(row)]) {
    if (!each) continue;
    const { tree, at } = home.get(each);
    const names = [];
    for (let up = at; up >= 0; up = tree.parents[up]) {
      tree.rows[up].classList.add(up === at ? "here" : "path");
      names.unshift(describe(tree.rows[up]));
    }
    if (each === row) path.textContent = names.join(" › ");
  }
}

function pin(row) {
  pinned = pinned === row ? null : row;
  highlight(pinned || row);
}

function moveTabStop(tree, row) {
  for (const each of tree.rows) if (each.tabIndex === 0) each.tabIndex = -1;
  row.tabIndex = 0;
}

function focusRow(row) {
  if (!isUnit(row)) return;
  moveTabStop(home.get(row).tree, row);
  visited = row;
  row.focus();
}

function step(row, by) {
  const { tree, at } = home.get(row);
  for (let to = at + by; to >= 0 && to < tree.rows.length; to += by) {
    if (!tree.rows[to].hidden && isUnit(tree.rows[to])) return tree.rows[to];
  }
  return null;
}

function edge(row, last) {
  const shown = home.get(row).tree.rows.filter((each) => !each.hidden && isUnit(each));
  return shown[last ? shown.length - 1 : 0];
}

const isMirrored = document.querySelector("main").dir === "rtl";
const mirroredKeys = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };
const keys = {
  ArrowDown: (row) => focusRow(step(row, 1)),
  ArrowUp: (row) => focusRow(step(row, -1)),
  ArrowRight: (row) => {
    if (isFolded(row)) setFolded(row, false);
    else if (row.hasAttribute("aria-expanded")) focusRow(step(row, 1));
  },
  ArrowLeft: (row) => {
    const { tree, at } = home.get(row);
    if (row.getAttribute("aria-expanded") === "true") setFolded(row, true);
    else if (tree.parents[at] >= 0) focusRow(tree.rows[tree.parents[at]]);
  },
  Home: (row) => focusRow(edge(row, false)),
  End: (row) => focusRow(edge(row, true)),
  " ": (row) => row.hasAttribute("aria-expanded") && setFolded(row, !isFolded(row)),
  Enter: pin,
  Escape: () => { pinned = null; highlight(null); },
};

// Differences in the order of the text. A unit that both sides have, with other labels, counts once, on the left.
const sections = [...document.querySelectorAll("section")];
const places = new Map();
for (const tree of trees) {
  const section = tree.element.closest("section");
  const side = [...section.querySelectorAll("[role=tree]")].indexOf(tree.element);
  for (const row of tree.rows.filter(isUnit)) {
    const [start, end] = row.dataset.tokens.split("-").map(Number);
    places.set(row, [sections.indexOf(section), start, -end, side]);
  }
}
function inOrder(a, b) {
  const ours = places.get(a), theirs = places.get(b);
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at < 0 ? 0 : ours[at] - theirs[at];
}
const differences = [...places.keys()]
  .filter((row) => row.matches(".only") || (row.matches(".differs") && places.get(row)[3] === 0))
  .sort(inOrder);

function unfoldTo(row) {
  const { tree, at } = home.get(row);
  for (let up = tree.parents[at]; up >= 0; up = tree.parents[up]) setFolded(tree.rows[up], false);
}

function showDifference(by) {
  if (!differences.length) return;
  let to = by > 0 ? 0 : differences.length - 1;
  if (visited) {
    const found = by > 0
      ? differences.findIndex((row) => inOrder(row, visited) > 0)
      : differences.findLastIndex((row) => inOrder(row, visited) < 0);
    if (found >= 0) to = found;
  }
  const row = differences[to];
  unfoldTo(row);
  pinned = null;
  focusRow(row);
  row.scrollIntoView({ block: "center" });
  highlight(row);
  path.textContent = `Difference ${to + 1} of ${differences.length}: ${path.textContent}`;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
  const by = { n: 1, N: -1 }[event.key];
  if (!by || !differences.length) return;
  event.preventDefault();
  showDifference(by);
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest("[role=treeitem]");
  const key = (isMirrored && mirroredKeys[event.key]) || event.key;
  if (!row || !keys[key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[key](row);
});

document.addEventListener("click", (event) => {
  const row = event.target.closest("[role=treeitem]");
  if (!row || String(getSelection())) return;
  focusRow(row);
  if (event.target.closest(".fold")) setFolded(row, !isFolded(row));
  else pin(row);
});

document.addEventListener("focusin", (event) => {
  const row = event.target.closest("[role=treeitem]");
  if (row) visited = row;
  if (row && !pinned) highlight(row);
});

document.addEventListener("mouseover", (event) => {
  const row = event.target.closest("[role=treeitem]");
  if (row && !pinned) highlight(row);
});

document.getElementById("levels").addEventListener("input", (event) => foldFrom(Number(event.target.value)));
if (paragraphs) {
  paragraphs.addEventListener("click", () => foldParagraphs(paragraphs.getAttribute("aria-pressed") !== "true"));
  if (document.querySelector("main").dataset.folded) foldParagraphs(true);
}
document.getElementById("theme").addEventListener("change", (event) => {
  document.documentElement.dataset.theme = event.target.value;
});
for (const [id, by] of [["next", 1], ["previous", -1]]) {
  const button = document.getElementById(id);
  if (!button) continue;
  button.disabled = !differences.length;
  button.addEventListener("click", () => showDifference(by));
}
