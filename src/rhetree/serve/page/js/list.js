// The panels of a document, one below the other. Only what is near the window has its diagrams drawn, a few in each
// frame, so that thousands of sentences scroll smoothly.

import { firstEdus } from "./document.js";
import { SCALE } from "./diagram.js";
import { make } from "./dom.js";
import { PanelView } from "./panel.js";

const MARGIN = 900; // pixels above and below the window within which diagrams are drawn
const BUDGET = 7; // milliseconds of drawing in a frame
const FIRST = 40; // sections that are made at once
const CHUNK = 150; // sections that are made in each later turn
const LEAST = 340; // the narrowest limit of a diagram; below it the diagram scrolls sideways

export class PanelList {
  constructor(root, settings) {
    this.root = root;
    this.settings = settings;
    this.rows = [];
    this.wanted = new Set();
    this.isWaiting = false;
    this.generation = 0;
    this.observer = new IntersectionObserver((entries) => this.see(entries), { rootMargin: `${MARGIN}px 0px` });
    let width = 0;
    new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      this.redraw();
    }).observe(root);
  }

  /** Shows a document. */
  show(document) {
    const firsts = firstEdus(document);
    this.fill(document.panels.map((_, number) => this.makerOf(document, number, firsts)));
  }

  /** Shows pairs of panels of two documents side by side. */
  showPairs(pairs, [left, right], marks) {
    const documents = [left, right];
    const firsts = documents.map(firstEdus);
    this.fill(pairs.map((pair) => () => {
      const sides = pair.map((numbers, side) => numbers.map((number) =>
        new PanelView(documents[side], number, firsts[side][number], this.settings, marks[side])));
      const { sentence } = left.panels[pair[0][0]];
      sides.forEach((views, side) => views.forEach((view) => Object.assign(view, { side })));
      return { views: sides.flat(), label: sentence === null ? "" : String(sentence + 1), sides };
    }));
  }

  /** Makes the sections: the first at once, the others between frames. */
  fill(makers) {
    this.generation += 1;
    const { generation } = this;
    this.observer.disconnect();
    this.wanted.clear();
    this.rows = makers.map((maker) => ({ maker, views: null }));
    this.root.replaceChildren();
    const add = (from, to) => {
      const sections = this.rows.slice(from, to).map((row) => this.section(row)).filter((one) => !one.isConnected);
      this.root.append(...sections);
      for (const section of sections) this.observer.observe(section);
    };
    add(0, FIRST);
    this.drawNow();
    const more = (from) => {
      if (generation !== this.generation || from >= this.rows.length) return;
      add(from, from + CHUNK);
      setTimeout(() => more(from + CHUNK), 0);
    };
    setTimeout(() => more(FIRST), 0);
  }

  section(row) {
    if (row.views) return row.section;
    const { views, label, sides } = row.maker();
    row.views = views;
    row.section = make("section", sides.length > 1 ? "row pair" : "row");
    const number = make("span", "count", label);
    row.section.append(number, ...sides.map((side) => {
      const holder = make("div", "side");
      holder.append(...side.map((view) => view.root));
      return holder;
    }));
    for (const view of views) home.set(view.root, view);
    home.set(row.section, row);
    return row.section;
  }

  /** The view of a panel of the only document; its section is made if it was not there yet. */
  view(number) {
    const row = this.rows[number];
    if (!row) return null;
    if (!row.views) this.section(row);
    return row.views[0];
  }

  /** Puts the sections up to that of a view on the page, if they are not there yet. */
  attachUpTo(view) {
    for (const row of this.rows) {
      const section = this.section(row);
      if (!section.isConnected) {
        this.root.append(section);
        this.observer.observe(section);
      }
      if (row.views.includes(view)) return;
    }
  }

  /** Shows another state of the document: of one panel, or of all that follow it too if EDUs changed their numbers. */
  update(document, number, isRenumbered) {
    const firsts = firstEdus(document);
    this.rows.forEach((row, at) => {
      if (at < number || (at > number && !isRenumbered)) {
        if (row.views) row.views[0].document = document;
        else row.maker = this.makerOf(document, at, firsts);
        return;
      }
      if (!row.views) row.maker = this.makerOf(document, at, firsts);
      else row.views[0].set(document, at, firsts[at]);
    });
    this.redraw(false);
  }

  makerOf(document, number, firsts) {
    return () => {
      const view = new PanelView(document, number, firsts[number], this.settings);
      const { sentence } = document.panels[number];
      return { views: [view], label: sentence === null ? "" : String(sentence + 1), sides: [[view]] };
    };
  }

  /** Draws what is in view, again if `isAll`. */
  redraw(isAll = true) {
    for (const row of this.rows) {
      if (isAll) for (const view of row.views || []) if (view.isDrawn) view.clear();
    }
    this.drawNow();
  }

  /** Draws one panel now, wherever it is. */
  drawView(view) {
    view.draw(this.limitOf(view));
  }

  /** Draws what is in the window now, and asks for what is near it. */
  drawNow() {
    const end = window.innerHeight;
    const inView = [];
    for (const row of this.rows) {
      if (!row.section || !row.section.isConnected) break;
      const { top, bottom } = row.section.getBoundingClientRect();
      if (top > end + MARGIN) break;
      if (bottom < -MARGIN) continue;
      if (bottom >= 0 && top <= end) inView.push(...row.views);
      else this.wanted.add(row);
    }
    for (const view of inView) this.drawView(view);
    this.work();
  }

  limitOf(view) {
    return Math.max(LEAST, (view.root.clientWidth - 20) / SCALE);
  }

  see(entries) {
    for (const entry of entries) {
      const row = home.get(entry.target);
      if (entry.isIntersecting) this.wanted.add(row);
      else {
        this.wanted.delete(row);
        const hasFocus = row.section.contains(document.activeElement);
        if (!hasFocus) for (const view of row.views) if (view.isDrawn && view.hasDiagram) view.clear();
      }
    }
    this.work();
  }

  work() {
    if (this.isWaiting || !this.wanted.size) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      const end = performance.now() + BUDGET;
      for (const row of this.wanted) {
        this.wanted.delete(row);
        for (const view of row.views) this.drawView(view);
        if (performance.now() > end) break;
      }
      this.work();
    });
  }
}

const home = new WeakMap();

/** The view that an element belongs to. */
export function viewOf(element) {
  const root = element.closest && element.closest(".panel");
  return root ? home.get(root) || null : null;
}
