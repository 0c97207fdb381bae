// Draws the diagrams of a panel as SVG elements, in the look of rhetree/draw/diagram.py. Units are the items of an ARIA
// tree; relations' names are buttons of the mouse, and are told with their unit to those who do not see them.

import { layOut } from "./layout.js";
import { BOLD, pixels, widestPart, wrap, wrapEvenly } from "./text.js";

const TEXT = 12;
const LABEL = 11;
const SMALL = 9.5;
const LINE = 15;
const WIDE = 180;
const NARROW = 120;
const NARROWEST = 84;
const ASPECT = 2.75;
const REFERENCE = 112;
const HEADING = 22;
export const SCALE = 1.15; // a little larger than our SVG, beside text of 16 pixels
const EDGE = 8; // room around a diagram for the marks of what is chosen

/** The text of one panel's diagrams, broken into lines and measured. */
export class DiagramText {
  /**
   * @param texts the texts of the EDUs
   * @param first the number of the first EDU, from 0
   * @param labelOf what to write for a relation: (relation, boundary) => text
   */
  constructor(texts, first, labelOf, widest = WIDE) {
    this.texts = texts;
    this.first = first;
    this.labelOf = labelOf;
    this.lines = texts.map((text) => eduLines(text, widest));
    this.widths = this.lines.map((lines) => Math.max(0, ...lines.map((line) => pixels(line, TEXT))));
  }

  numbers({ start, end }) {
    return end - start === 1 ? String(this.first + end) : `${this.first + start + 1}–${this.first + end}`;
  }

  text({ start, end }) {
    const number = pixels(this.numbers({ start, end }), SMALL) + 10;
    return { width: Math.max(number, this.widths[start]), height: LINE * (this.lines[start].length + 1) + 4 };
  }

  referenceLines({ start, end }) {
    const lines = wrap(this.texts.slice(start, Math.min(end, start + 8)).join(" "), REFERENCE, TEXT);
    return lines.length <= 2 ? lines : [lines[0], `${lines[1]} …`];
  }

  reference(unit) {
    const lines = this.referenceLines(unit);
    const width = Math.max(pixels(`${this.numbers(unit)} ▸`, TEXT) * BOLD, ...lines.map((line) => pixels(line, TEXT)));
    return { width: width + 16, height: LINE * (lines.length + 1) + 16 };
  }

  label(unit, relation, boundary) {
    return pixels(this.labelOf(relation, boundary), LABEL);
  }

  caption(unit) {
    return pixels(this.numbers(unit), SMALL) + 6;
  }
}

function eduLines(text, widest) {
  const room = Math.max(Math.sqrt(pixels(text, TEXT) * LINE * ASPECT), NARROWEST, widestPart(text, TEXT));
  return wrapEvenly(text, Math.min(room, widest), TEXT);
}

/** The diagrams of a tree, no wider than the limit if possible, and their text. */
export function fit(units, texts, first, labelOf, limit, isFolded) {
  const widthOf = (diagrams) => Math.max(...diagrams.map((diagram) => diagram.width));
  const wide = new DiagramText(texts, first, labelOf);
  let diagrams = layOut(units, wide, { isFolded });
  if (widthOf(diagrams) <= limit) return [diagrams, wide];
  const narrow = new DiagramText(texts, first, labelOf, NARROW);
  diagrams = layOut(units, narrow, { isFolded });
  if (widthOf(diagrams) <= limit) return [diagrams, narrow];
  diagrams = layOut(units, wide, { isFolded, limit });
  if (widthOf(diagrams) <= limit) return [diagrams, wide];
  return [layOut(units, narrow, { isFolded, limit }), narrow];
}

/**
 * One SVG element for each diagram.
 *
 * @param itemOf what a unit is to readers of the screen: ({start, end}) => {level, label, isExpanded, …}
 * @param stateOf classes of a relation's name, by the boundary of its split; marksOf those of a unit
 */
export function drawDiagrams(diagrams, text, { itemOf, stateOf, marksOf }) {
  return diagrams.map((diagram, number) => {
    const isPart = number > 0;
    const top = EDGE + (isPart ? HEADING : 0);
    const [width, height] = [diagram.width + 2 * EDGE, diagram.height + top + EDGE];
    const svg = element("svg", { class: "rst", viewBox: `0 0 ${n(width)} ${n(height)}`, width: n(width * SCALE), height: n(height * SCALE), role: "presentation" });
    if (isPart) svg.append(words("edu strong start", EDGE, EDGE + 12, text.numbers(diagram)));
    const body = element("g", { transform: `translate(${EDGE} ${top})`, role: "presentation" });
    const lines = element("g", { "aria-hidden": "true" });
    for (const stem of diagram.stems) {
      lines.append(path("stem", `M${n(stem.x)} ${n(stem.top)}V${n(stem.bottom)}`, { start: stem.start, end: stem.end }));
    }
    for (const arc of diagram.arcs) lines.append(drawArc(arc, text, stateOf));
    for (const bracket of diagram.brackets) lines.append(drawBracket(bracket, text, stateOf));
    body.append(lines);
    for (const bar of diagram.bars) {
      const isTop = isPart && bar.start === diagram.start && bar.end === diagram.end;
      body.append(isTop ? drawTop(bar) : drawBar(bar, text, itemOf, marksOf));
    }
    svg.append(body);
    return svg;
  });
}

function drawBar(bar, text, itemOf, marksOf) {
  const numbers = text.numbers(bar);
  const item = itemOf(bar);
  const middle = (bar.left + bar.right) / 2;
  const kind = bar.isGroup || bar.isFolded || bar.isCut ? "group" : "leaf";
  const group = element("g", {
    class: `unit ${kind} ${marksOf(bar)}`, role: "treeitem", tabindex: "-1", "aria-level": item.level,
    "aria-posinset": item.place, "aria-setsize": item.siblings, "aria-label": item.label,
    "data-start": bar.start, "data-end": bar.end,
  });
  if (kind === "group") group.setAttribute("aria-expanded", String(!bar.isFolded));
  if (bar.isCut || bar.isFolded) {
    const lines = text.referenceLines(bar);
    const height = LINE * (lines.length + 1) + 10;
    group.append(
      element("rect", { class: "reference", x: n(bar.left), y: n(bar.y), width: n(bar.right - bar.left), height: n(height), rx: 5 }),
      hit(bar.left - 3, bar.y - 3, bar.right - bar.left + 6, height + 6),
      words("edu strong", middle, bar.y + 16, bar.isFolded ? `${numbers} ▸` : numbers),
      paragraph("edu muted", middle, bar.y + 16 + LINE, lines),
    );
    return group;
  }
  const line = path(`bar${kind === "leaf" ? " leaf" : ""}`, `M${n(bar.left)} ${n(bar.y)}H${n(bar.right)}`);
  if (kind === "group") {
    group.append(
      hit(bar.left - 2, bar.y - 5, bar.right - bar.left + 4, 9),
      hit(bar.left - 2, bar.y, pixels(numbers, SMALL) + 6, 16),
      line,
      words("number start", bar.left, bar.y + 12, numbers),
    );
  } else {
    group.append(
      hit(bar.left - 4, bar.y - 3, bar.right - bar.left + 8, text.text(bar).height + 4),
      line,
      words("number", middle, bar.y + 12, numbers),
      paragraph("edu", middle, bar.y + 12 + LINE, text.lines[bar.start]),
    );
  }
  if (group.classList.contains("only")) group.append(diamond(bar.left, bar.y), diamond(bar.right, bar.y));
  return group;
}

/** The bar of a unit that was cut out; the item of the tree is where it was cut. */
function drawTop(bar) {
  const group = element("g", { class: "unit group", "aria-hidden": "true", "data-start": bar.start, "data-end": bar.end });
  group.append(hit(bar.left - 2, bar.y - 6, bar.right - bar.left + 4, 12), path("bar", `M${n(bar.left)} ${n(bar.y)}H${n(bar.right)}`));
  return group;
}

function drawArc(arc, text, stateOf) {
  const towards = arc.nucleus > arc.satellite ? 1 : -1;
  const end = arc.nucleus - towards * (arc.isNearest ? 7 : 0);
  const radius = Math.min(24, Math.abs(end - arc.satellite) / 2);
  const turn = `A${n(radius)} ${n(arc.y - arc.top)} 0 0 ${towards > 0 ? 1 : 0} `;
  let steps = `M${n(arc.satellite)} ${n(arc.y)}${turn}${n(arc.satellite + towards * radius)} ${n(arc.top)}`;
  let head;
  if (arc.isNearest) {
    // The line stops short of the arrow's tip, which it would blunt.
    steps += `H${n(end - towards * radius)}${turn}${n(end)} ${n(arc.y)}`;
    head = `M${n(end)} ${n(arc.y)}l-3.5 -8h7z`;
  } else {
    steps += `H${n(end - towards * 6)}`;
    head = `M${n(end - towards)} ${n(arc.top)}l${n(-towards * 8)} -3.5v7z`;
  }
  const group = element("g", { class: `link satellite ${stateOf(arc.boundary)}`, "data-boundary": arc.boundary });
  group.dataset.satellite = `${arc.child.start}-${arc.child.end}`;
  const label = text.labelOf(arc.relation, arc.boundary);
  const x = (arc.satellite + arc.nucleus) / 2;
  group.append(path("arc", steps), path("head", head), ...named("relation", label, x, arc.top - 5));
  return group;
}

function drawBracket(bracket, text, stateOf) {
  const label = text.labelOf(bracket.relation, bracket.boundary);
  const half = pixels(label, LABEL) / 2 + 5;
  const [first, ...middle] = bracket.nuclei;
  const last = middle.pop();
  const corner = Math.min(10, (last - first) / 2);
  const { x, y, bottom } = bracket;
  const turned = `${n(corner)} ${n(corner)} 0 0 `;
  let steps = `M${n(x)} ${n(bracket.top)}V${n(y - 8)}`;
  steps += `M${n(first)} ${n(bottom)}V${n(y + corner)}A${turned}1 ${n(first + corner)} ${n(y)}H${n(x - half)}`;
  steps += `M${n(last)} ${n(bottom)}V${n(y + corner)}A${turned}0 ${n(last - corner)} ${n(y)}H${n(x + half)}`;
  for (const one of middle) steps += `M${n(one)} ${n(Math.abs(one - x) < half ? y + 8 : y)}V${n(bottom)}`;
  const group = element("g", { class: `link multinuclear ${stateOf(bracket.boundary)}`, "data-boundary": bracket.boundary });
  group.append(path("bracket", steps), ...named("relation nuclei", label, x, y + 4));
  return group;
}

/** A relation's name, with room around it for the mouse. */
function named(kind, label, x, y) {
  const width = pixels(label, LABEL);
  const line = element("path", { class: "underline", d: `M${n(x - width / 2)} ${n(y + 3)}h${n(width)}` });
  return [hit(x - width / 2 - 5, y - 12, width + 10, 17, "name"), line, words(kind, x, y, label)];
}

function hit(x, y, width, height, kind = "hit") {
  return element("rect", { class: kind, x: n(x), y: n(y), width: n(width), height: n(height), rx: 4 });
}

function n(number) {
  return String(Math.round(number * 10) / 10);
}

/** An SVG element. */
export function element(name, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function words(kind, x, y, text) {
  const made = element("text", { class: kind, x: n(x), y: n(y) });
  made.textContent = text;
  return made;
}

function paragraph(kind, x, y, lines) {
  const made = element("text", { class: kind });
  lines.forEach((line, number) => {
    const isLast = number === lines.length - 1;
    const span = element("tspan", { x: n(isLast ? x : x + pixels(" ", TEXT) / 2), y: n(y + number * LINE) });
    span.textContent = isLast ? line : `${line} `;
    made.append(span);
  });
  return made;
}

function path(kind, steps, span) {
  const made = element("path", { class: kind, d: steps });
  if (span) made.dataset.unit = `${span.start}-${span.end}`;
  return made;
}

function diamond(x, y) {
  return path("diamond", `M${n(x - 4)} ${n(y)}l4 -4l4 4l-4 4z`);
}
