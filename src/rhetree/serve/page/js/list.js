// The panels of a document, one below the other, in blocks of a few. Only blocks near the window have their diagrams
// drawn, a few in each frame, so that thousands of sentences scroll smoothly. Nothing here reads the layout while it
// draws: a browser would lay out the whole page again for each answer.

import { SCALE } from "./diagram.js";
import { firstEdus } from "./document.js";
import { make } from "./dom.js";
import { PanelView } from "./panel.js";

const SIZE = 8; // rows in a block
const MARGIN = 700; // pixels above and below the window within which blocks are drawn
const BUDGET = 4; // milliseconds of drawing in a frame
const FIRST = 4; // blocks that are made at once
const CHUNK = 12; // blocks that are made in each later turn
const LEAST = 340; // the narrowest limit of a diagram; below it the diagram scrolls sideways

export class PanelList {
  constructor(root, settings) {
    this.root = root;
    this.settings = settings;
    this.fill([]);
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
  showPairs(pairs, documents, marks) {
    const firsts = documents.map(firstEdus);
    this.fill(pairs.map((pair) => () => {
      const sides = pair.map((numbers, side) => numbers.map((number) => {
        const view = new PanelView(documents[side], number, firsts[side][number], this.settings, marks[side]);
        return Object.assign(view, { side });
      }));
      return { sides, sentence: documents[0].panels[pair[0][0]].sentence };
    }));
  }

  /** Shows another state of the document: of one panel, or of all that follow it too if EDUs changed their numbers. */
  update(document, number, isRenumbered) {
    const firsts = firstEdus(document);
    this.rows.forEach((row, at) => {
      if (!row.views) row.maker = this.makerOf(document, at, firsts);
      else if (at === number || (at > number && isRenumbered)) row.views[0].set(document, at, firsts[at]);
      else row.views[0].document = document;
    });
    this.drawNow();
  }

  makerOf(document, number, firsts) {
    return () => ({
      sides: [[new PanelView(document, number, firsts[number], this.settings)]],
      sentence: document.panels[number].sentence,
    });
  }

  // --- blocks and rows ----------------------------------------------------------------------

  /** Makes the blocks: the first at once, the others between frames. */
  fill(makers) {
    this.observer?.disconnect();
    this.rows = makers.map((maker) => ({ maker, views: null, section: null }));
    this.blocks = [];
    this.wanted = new Set();
    this.stale = new Set();
    this.limit = null;
    this.root.replaceChildren();
    this.grow(FIRST);
    this.drawNow();
    const { rows } = this;
    const more = () => {
      if (rows !== this.rows || this.blocks.length * SIZE >= rows.length) return;
      this.grow(this.blocks.length + CHUNK);
      setTimeout(more, 0);
    };
    setTimeout(more, 0);
  }

  /** Has at least this many blocks, if there are rows for them. */
  grow(nBlocks) {
    while (this.blocks.length < nBlocks && this.blocks.length * SIZE < this.rows.length) {
      const rows = this.rows.slice(this.blocks.length * SIZE, (this.blocks.length + 1) * SIZE);
      const element = make("div", "block");
      element.append(...rows.map((row) => this.section(row)));
      const height = rows.reduce((sum, row) => sum + 60 + Math.max(...row.views.map((view) => view.estimate())), 0);
      element.style.containIntrinsicHeight = `auto ${Math.round(height)}px`;
      this.blocks.push({ element, rows });
      home.set(element, rows);
      this.root.append(element);
      this.observer?.observe(element);
    }
  }

  section(row) {
    if (row.section) return row.section;
    const { sides, sentence } = row.maker();
    row.views = sides.flat();
    row.section = make("section", sides.length > 1 ? "row pair" : "row");
    row.section.append(make("span", "count", sentence === null ? "" : String(sentence + 1)), ...sides.map((side) => {
      const holder = make("div", "side");
      holder.append(...side.map((view) => view.root));
      return holder;
    }));
    for (const view of row.views) home.set(view.root, view);
    return row.section;
  }

  /** The view of a panel of the only document. */
  view(number) {
    if (!this.rows[number]) return null;
    this.section(this.rows[number]);
    return this.rows[number].views[0];
  }

  /** Puts the blocks up to that of a view on the page, if they are not there yet. */
  attachUpTo(view) {
    const number = this.rows.findIndex((row) => row.views?.includes(view));
    this.grow(Math.floor(number / SIZE) + 1);
  }

  // --- drawing ------------------------------------------------------------------------------

  /** Draws everything again: the width, or what is written, has changed. */
  redraw() {
    this.limit = null;
    for (const row of this.rows) for (const view of row.views || []) if (view.isDrawn) view.clear();
    this.drawNow();
  }

  /** Draws one panel now, wherever it is. */
  drawView(view) {
    this.limit ??= Math.max(LEAST, (view.root.clientWidth - 20) / SCALE);
    view.draw(this.limit);
  }

  /** Draws what is in the window now, and asks for what is near it. */
  drawNow() {
    const end = window.innerHeight;
    const inView = [];
    for (const { element, rows } of this.blocks) {
      const { top, bottom } = element.getBoundingClientRect();
      if (top > end + MARGIN) break;
      if (bottom < -MARGIN) continue;
      const isSeen = bottom >= 0 && top <= end;
      for (const row of rows) {
        const box = isSeen ? row.section.getBoundingClientRect() : null;
        if (box && box.bottom >= 0 && box.top <= end) inView.push(...row.views);
        else this.wanted.add(row);
      }
    }
    for (const view of inView) this.drawView(view);
    this.work();
  }

  see(entries) {
    for (const entry of entries) {
      const rows = home.get(entry.target);
      const hasFocus = entry.target.contains(document.activeElement);
      for (const row of rows) {
        this[entry.isIntersecting ? "stale" : "wanted"].delete(row);
        if (entry.isIntersecting) this.wanted.add(row);
        else if (!hasFocus && row.views.some((view) => view.isDrawn)) this.stale.add(row);
      }
    }
    this.work();
  }

  /** Draws what is near the window, a little in each frame; then clears what has gone far from it. */
  work() {
    if (this.isWaiting || !(this.wanted.size || this.stale.size)) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      const end = performance.now() + BUDGET;
      const rows = this.wanted.size ? this.wanted : this.stale;
      for (const row of rows) {
        rows.delete(row);
        for (const view of row.views) {
          if (rows === this.wanted) this.drawView(view);
          else if (view.isDrawn) view.clear();
        }
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
