// The bar at the foot of the page: what the model thought of the chosen unit, and every way to correct it.

import { make } from "./dom.js";
import { textOf } from "./document.js";
import { confirm, decisionOn, joinEdus, moveSplitTo, nextNuclearity, setLabel, splitEdu, swapNuclearity } from "./edits.js";
import { NUCLEARITIES } from "./tree.js";
import { percent } from "./words.js";

const ORDERS = { NS: "nucleus, satellite", SN: "satellite, nucleus", NN: "two nuclei" };

export class Editor {
  constructor(root, app) {
    this.root = root;
    this.app = app;
  }

  get panel() {
    return this.app.document.panels[this.app.choice.number];
  }

  /** The number of the chosen split, or -1 if an EDU is chosen. */
  get split() {
    const { start, end } = this.app.choice;
    return (this.panel.splits || []).findIndex((split) => split.start === start && split.end === end);
  }

  /** Shows what is chosen, or nothing. */
  refresh() {
    const { choice, comparison } = this.app;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.id : "";
    this.root.hidden = !choice || Boolean(comparison);
    this.root.replaceChildren();
    // What gets the focus is scrolled to above the bar.
    if (this.root.hidden) document.documentElement.style.scrollPaddingBottom = "";
    if (this.root.hidden) return;
    const number = this.split;
    if (number >= 0) this.showSplit(number);
    else this.showEdu();
    document.documentElement.style.scrollPaddingBottom = `${this.root.offsetHeight + 16}px`;
    if (focused) document.getElementById(focused)?.focus();
  }

  // --- corrections, also for keys and mouse -------------------------------------------------

  setLabel(change) {
    const { choice } = this.app;
    const split = this.panel.splits[this.split];
    const after = setLabel(this.panel, this.split, change);
    const [relation, nuclearity] = [change.relation || split.relation, change.nuclearity || split.nuclearity];
    return this.app.correct(choice.number, after, `${this.numbers()} is divided by ${relation}, ${ORDERS[nuclearity]}.`, this.kept());
  }

  turnNuclearity(withNuclei) {
    if (this.split < 0) return false;
    const after = (withNuclei ? nextNuclearity : swapNuclearity)(this.panel, this.split);
    const { nuclearity } = after.splits[this.split];
    return this.app.correct(this.app.choice.number, after, `${this.numbers()} has ${ORDERS[nuclearity]}.`, this.kept());
  }

  moveSplit(step) {
    return this.split >= 0 && this.moveSplitTo(this.panel.splits[this.split].split + step);
  }

  moveSplitTo(at) {
    const after = moveSplitTo(this.panel, this.split, at);
    if (!after) return false;
    const text = textOf(this.app.document, ...after.edus[at]);
    return this.app.correct(this.app.choice.number, after, `${this.numbers()} is split before “${text}”.`, this.kept());
  }

  joinWithNext(edu = this.app.choice.end - 1) {
    const after = joinEdus(this.panel, edu);
    if (!after) {
      this.app.say("There is no next EDU in the sentence to join with.");
      return false;
    }
    const { number } = this.app.choice;
    return this.app.correct(number, after, "Two EDUs are joined.", { number, start: edu, end: edu + 1 });
  }

  splitEdu(token) {
    const { number, start } = this.app.choice;
    const after = splitEdu(this.panel, start, token, this.likeliestLabel());
    const second = after && textOf(this.app.document, ...after.edus[start + 1]);
    const focus = after && after.splits ? { number, start, end: start + 2 } : { number, start, end: start + 1 };
    return this.app.correct(number, after, `A new EDU begins: “${second}”. Choose its relation, or parse the rest again.`, focus);
  }

  toggleKept() {
    if (this.split < 0) return false;
    const isKept = Boolean(decisionOn(this.panel, this.panel.splits[this.split]));
    const told = isKept ? `${this.numbers()} may change when the rest is parsed again.` : `${this.numbers()} is kept as it is.`;
    return this.app.correct(this.app.choice.number, confirm(this.panel, this.split, !isKept), told, this.kept());
  }

  /** Goes to the list of relations, or to the places where an EDU can be split. */
  openControl() {
    const control = this.root.querySelector("select, .gap");
    if (control) control.focus();
    return Boolean(control);
  }

  // --- what the bar shows -------------------------------------------------------------------

  /** The choice, to be given the focus again unless the bar has it. */
  kept() {
    return this.root.contains(document.activeElement) ? null : { ...this.app.choice };
  }

  numbers() {
    const { number, start, end } = this.app.choice;
    const { first } = this.app.list.view(number);
    return end - start === 1 ? `EDU ${first + end}` : `EDUs ${first + start + 1}–${first + end}`;
  }

  /** A label for a new split: elaboration, if the model has it, else the model's first. */
  likeliestLabel() {
    const { labels } = this.app;
    const label = labels.find((one) => one === "elaboration-NS") || labels[0] || "elaboration-NS";
    return { relation: label.slice(0, -3), nuclearity: label.slice(-2) };
  }

  showSplit(number) {
    const split = this.panel.splits[number];
    const { start, end } = split;
    const text = textOf(this.app.document, this.panel.edus[start][0], this.panel.edus[end - 1][1]);
    this.head(`${this.numbers()}: ${text}`);
    const controls = this.controls();
    controls.append(group("Relation", this.relations(split)));
    controls.append(group("Order", ...NUCLEARITIES.map((nuclearity) => {
      const made = button(nuclearity.split("").join(" "), () => this.setLabel({ nuclearity }), `order-${nuclearity}`);
      made.setAttribute("aria-pressed", String(split.nuclearity === nuclearity));
      made.setAttribute("aria-label", ORDERS[nuclearity]);
      made.title = `${ORDERS[nuclearity]} (N swaps)`;
      return made;
    })));
    if (end - start > 2) {
      const left = button("◂", () => this.moveSplit(-1), "split-left", "Move the split one EDU to the left (,)");
      const right = button("▸", () => this.moveSplit(1), "split-right", "Move the split one EDU to the right (.)");
      left.disabled = split.split - 1 === start;
      right.disabled = split.split + 1 === end;
      controls.append(group("Split", left, right));
    }
    const keep = button("Keep", () => this.toggleKept(), "keep", "Keep this unit when the rest is parsed again (K)");
    keep.setAttribute("aria-pressed", String(Boolean(decisionOn(this.panel, split))));
    controls.append(keep, ...this.again());
    this.root.append(controls, this.thoughts(split));
  }

  /** What the model thought: the probability of the place, and the likeliest labels, to be taken by a click. */
  thoughts(split) {
    const line = make("div", "controls");
    if (split.labels === null) {
      line.append(make("span", "prob", "The model did not judge this unit as it is now."));
      return line;
    }
    line.append(make("span", "prob", `Split here: ${percent(split.prob)}`));
    const labels = group("Likeliest");
    split.labels.forEach(([label, prob], at) => {
      const [relation, nuclearity] = [label.slice(0, -3), label.slice(-2)];
      const made = button(`${relation} ${nuclearity.split("").join(" ")} `, () => this.setLabel({ relation, nuclearity }), `label-${at}`);
      made.append(make("span", "prob", percent(prob)));
      made.setAttribute("aria-pressed", String(relation === split.relation && nuclearity === split.nuclearity));
      labels.append(made);
    });
    line.append(labels);
    return line;
  }

  relations(split) {
    const select = make("select");
    select.id = "relation";
    select.setAttribute("aria-label", "Relation");
    const known = new Set(this.app.labels.map((label) => label.slice(0, -3)));
    for (const panel of this.app.document.panels) for (const one of panel.splits || []) known.add(one.relation);
    for (const relation of [...known].sort()) {
      const option = make("option", "", relation);
      option.value = relation;
      select.append(option);
    }
    select.value = split.relation;
    select.addEventListener("change", () => this.setLabel({ relation: select.value }));
    return select;
  }

  showEdu() {
    const { start } = this.app.choice;
    const [from, to] = this.panel.edus[start];
    const prob = this.panel.endProbs && this.panel.endProbs[to];
    this.head(this.numbers() + (prob === undefined || prob === null ? "" : ` · its end: ${percent(prob)}`));
    const gaps = make("p", "gaps");
    for (let token = from; token < to; token += 1) {
      if (token > from) {
        const before = this.app.document.forms[token];
        gaps.append(button("|", () => this.splitEdu(token), `gap-${token}`, `Begin a new EDU before “${before}”`, "gap"));
      }
      gaps.append(textOf(this.app.document, token, token + 1));
    }
    const controls = this.controls();
    const before = button("Join with the EDU before", () => this.joinWithNext(start - 1), "join-before");
    const after = button("Join with the next EDU", () => this.joinWithNext(start), "join-next", "J");
    before.disabled = start === 0;
    after.disabled = start + 1 >= this.panel.edus.length;
    controls.append(before, after, ...this.again());
    this.root.append(gaps, controls);
  }

  again() {
    if (this.app.document.isWhole) return [];
    const what = "Parse the sentence again; what you corrected or keep stays as it is (A)";
    return [button("Parse the rest again", () => this.app.parseAgain(this.app.choice.number), "again", what)];
  }

  head(text) {
    const top = make("div", "top");
    top.append(make("h2", "", text), button("✕", () => this.app.choose(null), "let-go", "Close"));
    this.root.append(top);
  }

  controls() {
    return make("div", "controls");
  }
}

function group(name, ...members) {
  const made = make("span", "group");
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", name);
  made.append(make("span", "name", name), ...members);
  return made;
}

function button(text, act, id, title = "", kind = "") {
  const made = make("button", kind, text);
  made.type = "button";
  made.id = id;
  if (title) {
    made.title = title;
    if (text.length < 3) made.setAttribute("aria-label", title);
  }
  made.addEventListener("click", act);
  return made;
}
