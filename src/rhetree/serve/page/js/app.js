// The page: what it shows, what was corrected, and where that is kept. Other modules draw, edit and compare; this one
// holds the state and is told by mouse.js, keys.js, editor.js and files.js what people want.

import { compare } from "./compare.js";
import { isDecided, requestFor } from "./constraints.js";
import { fromRecord, toRecord } from "./document.js";
import { byId, make } from "./dom.js";
import { Editor } from "./editor.js";
import { readAgain } from "./edits.js";
import { EXAMPLES } from "./examples.js";
import { connectFiles } from "./files.js";
import { EMPTY, noted, redo, undo, withPanel } from "./history.js";
import { connectKeys } from "./keys.js";
import { PanelList } from "./list.js";
import { connectMouse } from "./mouse.js";
import { isUnsure } from "./panel.js";
import * as service from "./service.js";
import { pack, Store, unpack } from "./store.js";

export class App {
  constructor() {
    this.settings = { showProbs: false, level: Infinity };
    this.list = new PanelList(byId("trees"), this.settings);
    this.editor = new Editor(byId("editor"), this);
    this.store = new Store();
    this.document = null;
    this.history = EMPTY;
    this.title = "";
    this.opened = null; // the record as it was first opened
    this.comparison = null;
    this.choice = null; // {number, start, end}
    this.labels = [];
    this.saving = 0;
  }

  // --- words to people ----------------------------------------------------------------------

  say(text, isError = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("error", isError);
  }

  /** Does something that takes a while; errors are told, not thrown. */
  async doing(what, task) {
    document.body.classList.add("busy");
    this.say(what);
    try {
      return await task();
    } catch (error) {
      if (error.code === "unauthorized") this.askForKey();
      this.say(error.message, true);
      return undefined;
    } finally {
      document.body.classList.remove("busy");
    }
  }

  askForKey() {
    byId("key").hidden = false;
    byId("key-value").focus();
  }

  // --- documents ----------------------------------------------------------------------------

  /** Parses a text and shows it. */
  async parse(text) {
    if (!text.trim()) {
      this.say("There is no text to parse.", true);
      return;
    }
    await this.doing("Parsing …", async () => {
      const record = await service.parse(text);
      this.start(record, text.trim().slice(0, 60));
      this.showEntry(false);
    });
  }

  /** Opens or closes the field for text. */
  showEntry(isOpen) {
    byId("entry").hidden = !isOpen;
    byId("write").setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    window.scrollTo(0, 0);
    byId("text").focus();
    byId("text").select();
  }

  /** Shows a document as a new piece of work. */
  start(record, title) {
    this.store.start();
    this.opened = record;
    this.title = title;
    this.history = EMPTY;
    this.show(fromRecord(record));
    this.save();
  }

  /** Goes on with work that was kept. */
  restore(work) {
    this.opened = work.opened;
    this.title = work.title;
    this.history = work.history;
    this.show(unpack(work));
    this.showEntry(false);
    byId("text").value = this.document.base.text || "";
    const nSteps = this.history.done.length;
    this.say(nSteps ? `Your work is as you left it, with ${counted(nSteps, "correction")}.` : "Your work is as you left it.");
  }

  show(shown) {
    this.document = shown;
    this.comparison = null;
    this.choose(null);
    this.list.show(shown);
    byId("tools").hidden = false;
    byId("differences").hidden = true;
    this.told();
    const nEdus = shown.panels.reduce((sum, panel) => sum + (panel.edus ? panel.edus.length : 0), 0);
    this.say(nEdus ? "Click a bar to fold it, a relation or an EDU to correct it." : "There are no EDUs in it yet.");
  }

  /** Brings buttons and counts up to date. */
  told() {
    const { panels } = this.document;
    byId("undo").disabled = !this.history.done.length;
    byId("redo").disabled = !this.history.undone.length;
    const nEdus = panels.reduce((sum, panel) => sum + (panel.edus ? panel.edus.length : 0), 0);
    const nSentences = this.document.sentences.length;
    const counts = [counted(nEdus, "EDU"), nSentences && counted(nSentences, "sentence")].filter(Boolean);
    if (this.history.done.length) counts.push(counted(this.history.done.length, "correction"));
    byId("counts").textContent = counts.join(" · ");
    this.unsure = panels.flatMap((panel, number) =>
      (panel.splits || []).filter((split) => isUnsure(panel, split)).map(({ start, end }) => ({ number, start, end })));
    byId("n-unsure").textContent = this.unsure.length;
    byId("unsure").disabled = !this.unsure.length;
    byId("unsure").hidden = Boolean(this.comparison);
  }

  // --- corrections --------------------------------------------------------------------------

  /** Takes a corrected panel into the document; whether it was one. */
  correct(number, after, told, focus = null) {
    if (!after) return false;
    const before = this.document.panels[number];
    this.history = noted(this.history, { number, before, after, told });
    this.replace(withPanel(this.document, number, after), number, before, after, focus);
    this.say(told);
    return true;
  }

  undo() {
    this.step(undo(this.document, this.history), "Undone", "before");
  }

  redo() {
    this.step(redo(this.document, this.history), "Done again", "after");
  }

  step(taken, word, to) {
    if (!taken || this.comparison) return;
    const { step } = taken;
    this.history = taken.history;
    this.replace(taken.document, step.number, this.document.panels[step.number], step[to], null);
    this.say(`${word}: ${step.told}`);
    this.list.rows[step.number].section.scrollIntoView({ block: "nearest" });
  }

  replace(after, number, panelBefore, panelAfter, focus) {
    this.document = after;
    const isRenumbered = (panelBefore.edus || []).length !== (panelAfter.edus || []).length;
    this.list.update(after, number, isRenumbered);
    const chosen = focus || this.choice;
    this.told();
    this.save();
    if (chosen && chosen.number === number) this.choose(chosen, focus !== null);
    else this.editor.refresh();
  }

  /** Parses the rest of a panel again: what was decided stays. */
  async parseAgain(number) {
    const panel = this.document.panels[number];
    if (this.document.isWhole) {
      this.say("The tree is of the whole document; the parser reads sentences.", true);
      return;
    }
    await this.doing("Parsing the rest of the sentence again …", async () => {
      const record = await this.readUnder(panel);
      const [fresh] = fromRecord(record).panels;
      const shift = panel.tokens[0];
      fresh.edus = fresh.edus.map(([start, end]) => [start + shift, end + shift]);
      fresh.endProbs = Object.fromEntries(Object.entries(fresh.endProbs || {}).map(([end, prob]) => [Number(end) + shift, prob]));
      const told = isDecided(panel) ? "Parsed the rest again; what you decided stayed." : "Parsed the sentence again.";
      this.correct(number, readAgain(panel, fresh), told, this.choice && { ...this.choice });
    });
  }

  /** The parser's reading of a panel under what was decided; a label that the model does not know is not sent. */
  async readUnder(panel) {
    try {
      return await service.parse(requestFor(this.document, panel, this.labels));
    } catch (error) {
      if (error.code !== "bad_constraints") throw error;
      throw new Error(`The parser cannot keep all of it: ${error.message}`);
    }
  }

  // --- what is chosen -----------------------------------------------------------------------

  /** Chooses a unit for the editor; null lets go. */
  choose(choice, hasFocus = false) {
    if (this.choice) this.list.view(this.choice.number)?.choose();
    this.choice = choice && this.isThere(choice) ? choice : null;
    if (this.choice && !this.comparison) {
      const view = this.list.view(this.choice.number);
      this.list.drawView(view);
      view.choose(this.choice.start, this.choice.end);
      if (hasFocus) this.focus(view, this.choice.start, this.choice.end);
    }
    this.editor.refresh();
  }

  isThere({ number, start, end }) {
    const panel = this.document.panels[number];
    if (!panel || !panel.edus || end > panel.edus.length) return false;
    return end - start === 1 || (panel.splits || []).some((split) => split.start === start && split.end === end);
  }

  /** Goes to a unit: unfolds and draws it, and gives it the focus. */
  focus(view, start, end) {
    if (!view.root.isConnected) this.list.attachUpTo(view);
    if (view.units && view.reveal(start, end)) view.clear();
    this.list.drawView(view);
    const item = view.item(start, end) || view.item(0, view.panel.edus.length);
    if (!item) {
      view.root.scrollIntoView({ block: "nearest" });
      return;
    }
    byId("trees").querySelector('[role="treeitem"][tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Goes to the next thing of a list after what is chosen: unsure labels. */
  goToUnsure(step) {
    if (this.comparison || !this.unsure.length) return;
    const at = this.choice ? this.choice : { number: -1, start: 0, end: 0 };
    const isAfter = (one) => one.number > at.number || (one.number === at.number && (one.start > at.start || (one.start === at.start && one.end < at.end)));
    const isBefore = (one) => !isAfter(one) && !(one.number === at.number && one.start === at.start && one.end === at.end);
    const { unsure } = this;
    const found = step > 0 ? unsure.find(isAfter) || unsure[0] : unsure.filter(isBefore).pop() || unsure[unsure.length - 1];
    this.choose(found, true);
    this.say(`Unsure label ${unsure.indexOf(found) + 1} of ${unsure.length}.`);
  }

  // --- comparing ----------------------------------------------------------------------------

  /** Shows the document beside another analysis of its text. */
  compareWith(other, name) {
    let found;
    try {
      found = compare(this.document, other);
    } catch (error) {
      this.say(error.message, true);
      return;
    }
    this.choose(null);
    this.comparison = { ...found, at: -1, name };
    this.list.showPairs(found.pairs, found.sides, found.marks);
    const nFound = found.differences.length;
    byId("differences").hidden = false;
    byId("n-differences").textContent = nFound;
    byId("next").disabled = byId("previous").disabled = !nFound;
    this.told();
    this.say(nFound ? `Left: this document. Right: ${name}. ${counted(nFound, "difference")}.` : `No difference to ${name}.`);
  }

  closeComparison() {
    this.show(this.document);
    byId("unsure").hidden = false;
  }

  goToDifference(step) {
    const { comparison } = this;
    if (!comparison || !comparison.differences.length) return;
    const nFound = comparison.differences.length;
    comparison.at = comparison.at < 0 && step < 0 ? nFound - 1 : (comparison.at + step + nFound) % nFound;
    const found = comparison.differences[comparison.at];
    const row = this.list.rows[found.pair];
    this.list.section(row);
    const view = row.views.find((one) => one.side === found.side && one.number === found.number);
    for (const lit of byId("trees").querySelectorAll(".lit")) lit.classList.remove("lit");
    this.focus(view, found.start, found.end);
    view.light(found.start, found.end);
    const where = found.side ? `right, ${comparison.name}` : "left, this document";
    this.say(`Difference ${comparison.at + 1} of ${nFound} (${where}): ${found.told}.`);
  }

  // --- keeping ------------------------------------------------------------------------------

  /** Keeps the work soon; a page that is left keeps it at once. */
  save() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.saveNow(), 60);
  }

  saveNow() {
    clearTimeout(this.saving);
    this.saving = 0;
    if (!this.document) return;
    try {
      this.store.save(pack(this));
    } catch {
      this.say("This browser has no room to keep the work: save it as a file.", true);
    }
  }

  /** The document as a record for the service. */
  record() {
    return toRecord(this.document);
  }
}

/** A number with its noun. */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** The text that the address asks for, or null. */
function textOfAddress() {
  const found = new URLSearchParams(window.location.hash.slice(1)).get("text");
  return found === null || found === "" ? null : found;
}

function connectTools(app) {
  const on = (id, event, act) => byId(id).addEventListener(event, act);
  const showLevel = () => {
    const value = Number(byId("level").value);
    const isAll = value === Number(byId("level").max);
    app.settings.level = isAll ? Infinity : value;
    byId("level-told").textContent = isAll ? "all" : value ? `${value} deep` : "only nuclei";
    for (const row of app.list.rows) for (const view of row.views || []) view.fade();
  };
  on("parse", "click", () => app.parse(byId("text").value));
  on("text", "keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) app.parse(byId("text").value);
  });
  on("write", "click", () => app.showEntry(byId("entry").hidden));
  on("undo", "click", () => app.undo());
  on("redo", "click", () => app.redo());
  on("probs", "click", () => {
    app.settings.showProbs = !app.settings.showProbs;
    byId("probs").setAttribute("aria-pressed", String(app.settings.showProbs));
    app.list.redraw();
  });
  on("unsure", "click", () => app.goToUnsure(1));
  on("next", "click", () => app.goToDifference(1));
  on("previous", "click", () => app.goToDifference(-1));
  on("close-comparison", "click", () => app.closeComparison());
  on("level", "input", showLevel);
  on("help", "click", () => byId("keys").showModal());
  on("close-keys", "click", () => byId("keys").close());
  on("key", "submit", (event) => {
    event.preventDefault();
    service.useKey(byId("key-value").value);
    byId("key").hidden = true;
    begin(app);
  });
  for (const [number, { title }] of EXAMPLES.entries()) {
    const option = make("option", "", title);
    option.value = number;
    byId("examples").append(option);
  }
  on("examples", "change", () => {
    const example = EXAMPLES[byId("examples").value];
    if (!example) return;
    byId("text").value = example.text;
    byId("examples").value = "";
    app.parse(example.text);
  });
  on("theme", "change", () => {
    document.documentElement.dataset.theme = byId("theme").value;
    window.localStorage.setItem("rhetree.theme", byId("theme").value);
  });
  byId("theme").value = window.localStorage.getItem("rhetree.theme") || "auto";
  document.documentElement.dataset.theme = byId("theme").value;
  window.addEventListener("pagehide", () => app.saving && app.saveNow());
  window.addEventListener("hashchange", () => begin(app));
}

/** Shows the text of the address, or else what this tab worked on. */
async function begin(app) {
  app.labels = ((await app.doing("", () => service.model())) || { labels: [] }).labels;
  const [text, work] = [textOfAddress(), app.store.load()];
  if (work && (text === null || work.opened.text === text)) app.restore(work);
  else if (text !== null) {
    byId("text").value = text;
    await app.parse(text);
  }
}

if (byId("trees")) {
  const app = new App();
  window.rhetree = app; // for those who look inside, and for tests
  connectTools(app);
  connectFiles(app);
  connectMouse(app);
  connectKeys(app);
  app.ready = begin(app);
}
