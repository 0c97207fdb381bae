// The keyboard: arrows go through the units as in any tree of the web, letters correct the chosen one.

import { byId } from "./dom.js";
import { viewOf } from "./list.js";

export function connectKeys(app) {
  const trees = byId("trees");
  trees.addEventListener("keydown", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (walk(app, item, event.key) || act(app, event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  trees.addEventListener("focusin", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    trees.querySelector('[role="treeitem"][tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    const { view, start, end } = placeOf(item);
    const { choice } = app;
    const isChosen = choice && choice.number === view.number && choice.start === start && choice.end === end;
    if (!app.comparison && !isChosen) app.choose({ number: view.number, start, end });
  });
  // Whoever tabs to the list gets to its first unit in view; on the way back, out of it.
  trees.addEventListener("focus", (event) => {
    if (trees.contains(event.relatedTarget)) return;
    const first = [...trees.querySelectorAll('[role="treeitem"]')].find((item) => item.getBoundingClientRect().bottom > 0);
    first?.focus();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("textarea, input, select, dialog[open]");
    const hasOwnUndo = event.target.closest("textarea, input:not([type=range])");
    if ((event.ctrlKey || event.metaKey) && !hasOwnUndo && app.document) {
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) app.undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) app.redo();
      else return;
      event.preventDefault();
      return;
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "Escape" && byId("editor").contains(event.target)) letGo(app);
      return;
    }
    if (general(app, event.key)) event.preventDefault();
  });
}

/** Keys that work wherever the focus is. */
function general(app, key) {
  if (key === "?") byId("keys").showModal();
  else if (!app.document) return false;
  else if (key === "u") app.goToUnsure(1);
  else if (key === "U") app.goToUnsure(-1);
  else if (key === "d") app.comparison?.go(1);
  else if (key === "D") app.comparison?.go(-1);
  else if (key === "p") byId("probs").click();
  else if (key === "f") app.turnParagraphs();
  else if (key === "Escape") letGo(app);
  else return false;
  return true;
}

/** Back to the unit from the bar, and then to nothing. */
function letGo(app) {
  const { choice } = app;
  const isInBar = byId("editor").contains(document.activeElement);
  if (isInBar && choice) app.focus(app.list.view(choice.number), choice.start, choice.end);
  else app.choose(null);
}

/** Keys that correct the chosen unit; whether it was one. */
function act(app, key) {
  const { editor } = app;
  if (app.comparison || !app.choice) return false;
  const acts = {
    r: () => editor.openControl(),
    s: () => editor.openControl(),
    Enter: () => editor.openControl(),
    n: () => editor.turnNuclearity(false),
    N: () => editor.turnNuclearity(true),
    ",": () => editor.moveSplit(-1),
    ".": () => editor.moveSplit(1),
    j: () => editor.joinWithNext(),
    k: () => editor.toggleKept(),
    a: () => app.parseAgain(app.choice.number),
  };
  if (!acts[key]) return false;
  acts[key]();
  return true;
}

/** Goes from unit to unit and folds; whether the key was one for that. */
function walk(app, item, key) {
  const items = [...byId("trees").querySelectorAll('[role="treeitem"]')];
  const order = inOrder(items);
  const at = order.indexOf(item);
  const { view, start, end } = placeOf(item);
  const isOpen = item.getAttribute("aria-expanded");
  const go = (to) => {
    const place = to && placeOf(to);
    if (place) app.focus(place.view, place.start, place.end);
  };
  const fold = (isFolded) => {
    if (view.toggle(start, end, isFolded)) app.redraw(view);
    app.focus(view, start, end);
  };
  if (key === "ArrowDown") go(order[at + 1]);
  else if (key === "ArrowUp") go(order[at - 1]);
  else if (key === "Home") go(order.find((one) => viewOf(one) === view));
  else if (key === "End") go(order.filter((one) => viewOf(one) === view).pop());
  else if (key === " ") fold(isOpen === "true");
  else if (key === "ArrowRight") {
    if (isOpen === "false") fold(false);
    else if (isOpen === "true") go(order[at + 1]);
  } else if (key === "ArrowLeft") {
    if (isOpen === "true") fold(true);
    else go(parentOf(order, item));
  } else return false;
  return true;
}

/** The items of all trees in text order, parents first; a unit drawn in two places counts once. */
function inOrder(items) {
  const seen = new Set();
  return items
    .map((item) => ({ item, ...placeOf(item), level: Number(item.getAttribute("aria-level")) }))
    .filter(({ view, start, end }) => {
      const key = `${view.number}/${view.side || 0}/${start}-${end}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .sort((one, other) => one.view.number - other.view.number || (one.view.side || 0) - (other.view.side || 0)
      || one.start - other.start || other.end - one.end)
    .map(({ item }) => item);
}

function parentOf(order, item) {
  const { view, start, end } = placeOf(item);
  const around = order.filter((one) => {
    const place = placeOf(one);
    return place.view === view && place.start <= start && place.end >= end && one !== item;
  });
  return around.pop();
}

function placeOf(item) {
  return { view: viewOf(item), start: Number(item.dataset.start), end: Number(item.dataset.end) };
}
