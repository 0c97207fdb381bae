// One panel on the screen: the words with their EDUs marked, and below them the diagrams of the tree. The words are
// always there, so that the browser finds them; diagrams come and go with what is in view.

import { make } from "./dom.js";
import { eduTexts, panelUnits, textBetween } from "./document.js";
import { drawDiagrams, fit } from "./diagram.js";
import { decisionOn, spanKey } from "./edits.js";
import { families } from "./layout.js";
import { eduBlocks, paragraphUnits } from "./paragraphs.js";
import { satelliteRanks } from "./tree.js";
import { percent } from "./words.js";

/** Probabilities below which a label, the place of a split or the end of an EDU counts as unsure. */
export const SURE = 0.6;

const GAP = 9; // pixels between two diagrams of a panel
const MANY = 100; // a tree of a whole text with more EDUs starts with its paragraphs folded

/** The probability of a split's own label, or null. */
export function labelProb(split) {
  const own = (split.labels || []).find(([label]) => label === `${split.relation}-${split.nuclearity}`);
  return own ? own[1] : null;
}

/** Whether a model was unsure of a split that nobody has decided. */
export function isUnsure(panel, split) {
  if (split.prob === null || decisionOn(panel, split)) return false;
  const own = labelProb(split);
  return split.prob < SURE || (own !== null && own < SURE);
}

/** Shows a panel; `settings` are those of the whole page: {showProbs, level}. */
export class PanelView {
  constructor(document, number, first, settings, marks = null) {
    this.settings = settings;
    this.marks = marks;
    this.folded = new Set();
    this.root = make("div", "panel");
    this.words = make("p", "words");
    this.diagram = make("div", "diagram");
    this.root.append(this.words, this.diagram);
    this.isDrawn = false;
    this.set(document, number, first);
    if (!marks && this.paragraphs.length && this.panel.edus.length > MANY) this.foldParagraphs(true);
  }

  /** Shows another state of the document; diagrams are drawn when they are asked for. */
  set(document, number, first) {
    this.document = document;
    this.number = number;
    this.first = first;
    this.panel = document.panels[number];
    this.units = panelUnits(this.panel);
    this.ranks = this.units ? satelliteRanks(this.units, this.panel.edus.length) : [];
    this.hasDiagram = Boolean(this.units && this.panel.edus.length > 1);
    this.blocks = this.panel.sentence === null ? eduBlocks(document, this.panel) : [];
    this.words.classList.toggle("whole", this.hasDiagram && this.panel.sentence === null);
    this.paragraphs = this.units ? paragraphUnits(this.units, this.blocks) : [];
    this.height = 0;
    this.writeWords();
    this.clear();
  }

  /** Takes the diagrams away and leaves their room. */
  clear() {
    this.diagram.replaceChildren();
    this.diagram.style.minHeight = this.hasDiagram ? `${this.estimate()}px` : "";
    this.diagram.hidden = !this.hasDiagram;
    this.isDrawn = false;
  }

  /** The height of the diagrams: as they were drawn, or a guess. The page is not asked, which would lay it out. */
  estimate() {
    if (!this.hasDiagram) return 0;
    if (this.height) return this.height;
    const levels = Math.ceil(Math.log2(this.panel.edus.length + 1)) + 1;
    return 60 + 44 * Math.min(levels, 8);
  }

  /** Draws the diagrams, no wider than the limit if possible. */
  draw(limit) {
    if (this.isDrawn) return;
    this.isDrawn = true;
    if (!this.hasDiagram) return;
    const items = this.items();
    const [diagrams, text] = fit(
      this.units, eduTexts(this.document, this.panel), this.first, this.labels(), limit,
      (unit) => this.folded.has(this.keyOf(unit)),
    );
    const drawn = drawDiagrams(diagrams, text, {
      itemOf: (bar) => items.get(`${bar.start}-${bar.end}`) || { level: 1, place: 1, siblings: 1, label: text.numbers(bar) },
      stateOf: (boundary) => this.stateOf(boundary),
      marksOf: (bar) => this.marksOf(bar),
    });
    this.diagram.setAttribute("role", "tree");
    const { sentence } = this.panel;
    this.diagram.setAttribute("aria-label", sentence === null ? "Tree of the document" : `Tree of sentence ${sentence + 1}`);
    this.diagram.replaceChildren(...drawn);
    this.height = drawn.reduce((sum, svg) => sum + Number(svg.getAttribute("height")) + GAP, -GAP);
    this.diagram.style.minHeight = "";
    this.fade();
  }

  /** The split that divides the EDUs at this boundary. */
  splitAtBoundary(boundary) {
    return this.panel.splits.findIndex((split) => split.split === boundary);
  }

  /** The element of a unit, if it is drawn. */
  item(start, end) {
    return this.diagram.querySelector(`[role="treeitem"][data-start="${start}"][data-end="${end}"]`);
  }

  /** Lights up a unit in the words and in the diagram; without one, nothing. */
  light(start = 0, end = 0) {
    for (const edu of this.words.children) {
      const at = Number(edu.dataset.edu);
      edu.classList.toggle("lit", at >= start && at < end);
    }
    for (const unit of this.diagram.querySelectorAll(".unit")) {
      const [from, to] = [Number(unit.dataset.start), Number(unit.dataset.end)];
      unit.classList.toggle("lit", from >= start && to <= end);
    }
  }

  /** Marks what is chosen: a unit, and the name of the relation that divides it. */
  choose(start = 0, end = 0) {
    for (const one of this.root.querySelectorAll(".chosen")) one.classList.remove("chosen");
    if (end <= start) return;
    for (const edu of this.words.children) {
      const at = Number(edu.dataset.edu);
      if (at >= start && at < end) edu.classList.add("chosen");
    }
    this.showWord(start);
    this.item(start, end)?.classList.add("chosen");
    const split = this.panel.splits && this.panel.splits.find((one) => one.start === start && one.end === end);
    if (split) this.diagram.querySelector(`.link[data-boundary="${split.split}"]`)?.classList.add("chosen");
  }

  /** Scrolls the words of a whole text, which have a window of their own above the tree, to an EDU. */
  showWord(edu) {
    if (!this.words.classList.contains("whole")) return;
    const [box, window] = [this.words.querySelector(`[data-edu="${edu}"]`), this.words].map((one) => one.getBoundingClientRect());
    if (box.top < window.top || box.bottom > window.bottom) this.words.scrollTop += box.top - window.top - box.height;
  }

  /** Fades what is in more satellites than the page's level allows. */
  fade() {
    const { level } = this.settings;
    const isFaded = (start, end) => this.ranks.slice(start, end).every((rank) => rank > level);
    for (const edu of this.words.children) {
      const at = Number(edu.dataset.edu);
      edu.classList.toggle("faded", this.ranks.length > 0 && this.ranks[at] > level);
    }
    for (const unit of this.diagram.querySelectorAll(".unit")) {
      unit.classList.toggle("faded", isFaded(Number(unit.dataset.start), Number(unit.dataset.end)));
    }
    for (const link of this.diagram.querySelectorAll(".link")) {
      const boundary = Number(link.dataset.boundary);
      const [from, to] = (link.dataset.satellite || "").split("-").map(Number);
      link.classList.toggle("faded", link.dataset.satellite ? isFaded(from, to) : isFaded(boundary - 1, boundary + 1));
    }
    for (const stem of this.diagram.querySelectorAll(".stem")) {
      const [from, to] = stem.dataset.unit.split("-").map(Number);
      stem.classList.toggle("faded", isFaded(from, to));
    }
  }

  /** Folds or unfolds a unit of several EDUs. */
  toggle(start, end, isFolded = null) {
    const key = this.keyOf({ start, end });
    const fold = isFolded === null ? !this.folded.has(key) : isFolded;
    if (end - start < 2 || fold === this.folded.has(key)) return false;
    if (fold) this.folded.add(key);
    else this.folded.delete(key);
    return true;
  }

  /** Folds or unfolds all paragraphs of a whole text. */
  foldParagraphs(isFolded) {
    for (const { start, end } of this.paragraphs) this.toggle(start, end, isFolded);
  }

  /** Whether the paragraphs are folded, all of them. */
  get areParagraphsFolded() {
    return this.paragraphs.length > 0 && this.paragraphs.every((unit) => this.folded.has(this.keyOf(unit)));
  }

  /** Unfolds everything around a unit, so that it is drawn; whether anything was folded. */
  reveal(start, end) {
    const around = this.units.filter((unit) => unit.start <= start && unit.end >= end && unit.end - unit.start > end - start);
    return around.filter((unit) => this.folded.delete(this.keyOf(unit))).length > 0;
  }

  keyOf({ start, end }) {
    return spanKey(this.panel.edus, start, end);
  }

  /** What is written for a relation: its name, the sign of a difference, and its probability if that is asked for. */
  labels() {
    const splits = new Map(this.panel.splits.map((split) => [split.split, split]));
    return (relation, boundary) => {
      const split = splits.get(boundary);
      const sign = this.marks && split ? this.marks.sign(this.keyOf(split)) : "";
      const prob = this.settings.showProbs && split ? percent(labelProb(split)) : "";
      const unsure = split && !this.marks && isUnsure(this.panel, split) ? "?" : "";
      return [sign, relation + unsure, prob].filter(Boolean).join(" ");
    };
  }

  stateOf(boundary) {
    const split = this.panel.splits[this.splitAtBoundary(boundary)];
    const states = [];
    if (!this.marks && isUnsure(this.panel, split)) states.push("unsure");
    if (decisionOn(this.panel, split)) states.push("decided");
    if (this.marks && this.marks.sign(this.keyOf(split))) states.push("differs");
    return states.join(" ");
  }

  marksOf(bar) {
    return this.marks && this.marks.isOnly(this.keyOf(bar)) ? "only" : "";
  }

  /** What each unit is to readers of the screen. */
  items() {
    const found = new Map();
    const texts = eduTexts(this.document, this.panel);
    const children = families(this.units);
    const levels = this.units.map(() => 1);
    const splits = new Map(this.panel.splits.map((split) => [`${split.start}-${split.end}`, split]));
    found.set(`0-${this.panel.edus.length}`, { place: 1, siblings: 1 });
    this.units.forEach((unit, number) => {
      children[number].forEach((child, at) => {
        levels[child] = levels[number] + 1;
        const { start, end } = this.units[child];
        found.set(`${start}-${end}`, { place: at + 1, siblings: children[number].length });
      });
      const key = `${unit.start}-${unit.end}`;
      const item = Object.assign(found.get(key), { level: levels[number] });
      item.label = this.describe(unit, splits.get(key), texts);
    });
    return found;
  }

  describe(unit, split, texts) {
    const role = { root: "whole", nucleus: "nucleus", satellite: "satellite" }[unit.role];
    const own = unit.role === "satellite" ? `, ${unit.relation}` : "";
    if (!split) return `${role}${own}, EDU ${this.first + unit.end}: ${texts[unit.start]}`;
    const order = { NS: "nucleus, satellite", SN: "satellite, nucleus", NN: "two nuclei" }[split.nuclearity];
    const prob = labelProb(split);
    const told = [
      `${role}${own}, EDUs ${this.first + unit.start + 1} to ${this.first + unit.end}`,
      `divided by ${split.relation} (${order})${prob === null ? "" : `, probability ${percent(prob)}`}`,
    ];
    if (isUnsure(this.panel, split)) told.push("unsure");
    if (decisionOn(this.panel, split)) told.push("decided by hand");
    const key = this.keyOf(unit);
    if (this.marks && this.marks.told(key)) told.push(this.marks.told(key));
    return told.join("; ");
  }

  writeWords() {
    const edus = this.panel.edus || [this.panel.tokens];
    const { offsets, forms } = this.document;
    const last = this.panel.tokens[1];
    const spans = edus.map(([start, end], number) => {
      const span = make("span", "edu", textBetween(this.document, offsets[start][0], offsets[end - 1][1]));
      span.dataset.edu = number;
      const prob = this.panel.endProbs && this.panel.endProbs[end];
      const isOpen = end < last && prob !== null && prob !== undefined && prob < SURE;
      if (isOpen && this.panel.fixed.edges[end] === undefined) {
        span.classList.add("unsure");
        span.title = `The end of this EDU is unsure: ${percent(prob)}`;
      }
      if (this.panel.fixed.edges[start] === true) span.classList.add("decided");
      return span;
    });
    if (!forms.length) spans.length = 0;
    const between = (at) => (this.blocks[at] === this.blocks[at - 1] ? " " : make("span", "break"));
    this.words.replaceChildren(...spans.flatMap((span, at) => (at ? [between(at), span] : [span])));
  }
}
