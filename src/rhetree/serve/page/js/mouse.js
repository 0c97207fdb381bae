// Pointing lights up words and units together; a click folds or chooses; dragging a relation's name moves its split.

import { byId, make } from "./dom.js";
import { viewOf } from "./list.js";

const FAR = 6; // pixels after which a press is a drag

export function connectMouse(app) {
  const trees = byId("trees");
  let lit = [];
  let drag = null;

  const clear = () => {
    for (const view of lit) view.light();
    lit = [];
  };
  trees.addEventListener("pointerover", (event) => {
    if (drag && drag.guide) return;
    clear();
    const place = placeOf(event.target);
    if (!place) return;
    lit = [place.view];
    place.view.light(place.start, place.end);
    if (!app.comparison) return;
    for (const view of twins(app, place)) {
      lit.push(view);
      const span = spanOf(view, place.tokens);
      if (span) view.light(...span);
    }
  });
  trees.addEventListener("pointerleave", clear);

  trees.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (!place || (drag && drag.guide)) return;
    const { view, start, end, isName, isWord } = place;
    if (!isName && !isWord && end - start > 1) {
      if (view.toggle(start, end)) app.redraw(view);
      app.focus(view, start, end);
      return;
    }
    if (!app.comparison) app.choose({ number: view.number, start, end }, !isWord);
  });

  trees.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    drag = null;
    if (!place || !place.isName || app.comparison || event.button) return;
    if (place.end - place.start > 2) drag = { place, x: event.clientX, guide: null, at: null };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag || (!drag.guide && Math.abs(event.clientX - drag.x) < FAR)) return;
    const { view, start, end } = drag.place;
    if (!drag.guide) {
      app.choose({ number: view.number, start, end });
      drag.guide = make("div", "guide");
      drag.places = boundaries(view, start, end);
      view.diagram.append(drag.guide);
    }
    drag.at = nearest(drag.places, event.clientX);
    drag.guide.style.left = `${drag.places.get(drag.at) - view.diagram.getBoundingClientRect().left + view.diagram.scrollLeft}px`;
  });
  const drop = (isDone) => {
    if (!drag || !drag.guide) return;
    drag.guide.remove();
    const { at } = drag;
    // The click that follows belongs to the drag.
    setTimeout(() => { drag = null; }, 0);
    if (isDone) app.editor.moveSplitTo(at);
  };
  window.addEventListener("pointerup", () => drop(true));
  window.addEventListener("pointercancel", () => drop(false));
}

/** What an element stands for: a unit in a diagram, a relation's name, or an EDU in the words. */
function placeOf(element) {
  const view = viewOf(element);
  if (!view || !view.panel.edus) return null;
  const word = element.closest(".words .edu");
  if (word) {
    const edu = Number(word.dataset.edu);
    return withTokens({ view, start: edu, end: edu + 1, isWord: true });
  }
  const link = element.closest(".name, .relation") && element.closest(".link");
  if (link) {
    const { start, end } = view.panel.splits[view.splitAtBoundary(Number(link.dataset.boundary))];
    return withTokens({ view, start, end, isName: true });
  }
  const unit = element.closest(".unit");
  return unit && withTokens({ view, start: Number(unit.dataset.start), end: Number(unit.dataset.end) });
}

function withTokens(place) {
  const { edus } = place.view.panel;
  return { ...place, tokens: [edus[place.start][0], edus[place.end - 1][1]] };
}

/** The panels on the other side that have any of these tokens. */
function twins(app, place) {
  const row = app.list.rows.find((one) => one.views && one.views.includes(place.view));
  return row.views.filter((view) => view.side !== place.view.side && view.panel.edus);
}

/** The EDUs of a panel that have any of these tokens. */
function spanOf(view, [from, to]) {
  const inside = view.panel.edus.flatMap(([start, end], at) => (start < to && end > from ? [at] : []));
  return inside.length ? [inside[0], inside[inside.length - 1] + 1] : null;
}

/** Where the boundaries within a unit are on the screen: from the number of the EDU after it to an x. */
function boundaries(view, start, end) {
  const edges = [];
  for (let edu = start; edu < end; edu += 1) {
    const item = view.item(edu, edu + 1);
    if (item) edges.push([edu, item.getBoundingClientRect()]);
  }
  const places = new Map();
  edges.slice(1).forEach(([edu, box], at) => places.set(edu, (edges[at][1].right + box.left) / 2));
  return places;
}

function nearest(places, x) {
  let best = null;
  for (const [edu, at] of places) if (best === null || Math.abs(at - x) < Math.abs(places.get(best) - x)) best = edu;
  return best;
}
