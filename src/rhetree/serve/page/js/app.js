// The state of the page: what it shows, what was corrected, and where that is kept. Other modules draw, edit and compare;
// mouse.js, keys.js, editor.js and files.js tell this one what people want.

import { Comparison } from "./comparison.js";
import { isDecided, requestFor, requestForTrees } from "./constraints.js";
import { fromRecord, toRecord } from "./document.js";
import { byId } from "./dom.js";
import { Editor } from "./editor.js";
import { readAgain } from "./edits.js";
import { EMPTY, noted, redo, undo, withPanel } from "./history.js";
import { PanelList } from "./list.js";
import { isUnsure } from "./panel.js";
import * as service from "./service.js";
import { pack, Store, unpack } from "./store.js";
import { counted } from "./words.js";

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
    this.comparison = null; // shown beside the document
    this.choice = null; // {number, start, end}
    this.labels = [];
    this.levels = []; // up to which trees can go, by what the service says
    this.level = "sentence"; // of the document's trees
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

  /** Notes what the service can do: without trees of whole texts there is nothing to choose. */
  offer({ labels, levels }) {
    this.labels = labels;
    this.levels = levels;
    const kept = window.localStorage.getItem("rhetree.level");
    byId("trees-of").value = levels.includes(kept) ? kept : "sentence";
    byId("trees-of-label").hidden = levels.length < 2;
  }

  /** Parses a text and shows it. */
  async parse(text) {
    if (!text.trim()) {
      this.say("There is no text to parse.", true);
      return;
    }
    await this.doing("Parsing …", async () => {
      const level = byId("trees-of").value;
      const record = await service.parse({ text, level });
      this.start(record, text.trim().slice(0, 60), level);
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
  start(record, title, level = record.tree ? "document" : "sentence") {
    this.store.start();
    this.opened = record;
    this.title = title;
    this.level = level;
    this.history = EMPTY;
    this.show(fromRecord(record));
    this.save();
  }

  /** Finds trees for a document that has none; its EDUs stay, if it has any. */
  async parseDocument() {
    await this.doing("Parsing …", async () => {
      const level = byId("trees-of").value;
      this.start(await service.parse({ ...requestForTrees(this.document, this.record()), level }), this.title, level);
    });
  }

  /** Goes on with work that was kept. */
  restore(work) {
    this.opened = work.opened;
    this.title = work.title;
    this.level = work.level || (work.record.tree ? "document" : "sentence");
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
    byId("intro").hidden = true;
    byId("trees").tabIndex = 0;
    byId("differences").hidden = true;
    this.told();
    const nEdus = shown.panels.reduce((sum, panel) => sum + (panel.edus ? panel.edus.length : 0), 0);
    if (!nEdus) this.say("There are no EDUs in it yet.");
    else if (this.wholeView()?.areParagraphsFolded) this.say("The paragraphs are folded. Click one to unfold it; F unfolds all.");
    else this.say("Click a bar to fold it, a relation or an EDU to correct it.");
  }

  /** The view of the tree of a whole text, or null. */
  wholeView() {
    return this.document.isWhole && !this.comparison ? this.list.view(0) : null;
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
    byId("parse-document").hidden = Boolean(this.comparison) || panels.some((panel) => panel.splits);
    this.toldFolding();
  }

  toldFolding() {
    const view = this.wholeView();
    byId("fold").hidden = !view?.paragraphs.length;
    byId("fold").setAttribute("aria-pressed", String(Boolean(view?.areParagraphsFolded)));
  }

  /** Folds all paragraphs of a whole text, or unfolds them. */
  turnParagraphs() {
    const view = this.wholeView();
    if (!view?.paragraphs.length) return;
    this.choose(null);
    view.foldParagraphs(!view.areParagraphsFolded);
    this.redraw(view);
  }

  /** Draws a panel again, in which something was folded or unfolded. */
  redraw(view) {
    view.clear();
    this.list.drawView(view);
    this.toldFolding();
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
      this.say("This is the tree of a whole text. Only trees of sentences are parsed again under corrections.", true);
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
      this.editor.refresh();
      if (hasFocus) this.focus(view, this.choice.start, this.choice.end);
    } else {
      this.editor.refresh();
    }
  }

  isThere({ number, start, end }) {
    const panel = this.document.panels[number];
    if (!panel || !panel.edus || end > panel.edus.length) return false;
    return end - start === 1 || (panel.splits || []).some((split) => split.start === start && split.end === end);
  }

  /** Goes to a unit: unfolds and draws it, and gives it the focus. */
  focus(view, start, end) {
    if (!view.root.isConnected) this.list.attachUpTo(view);
    if (view.units && view.reveal(start, end)) this.redraw(view);
    else this.list.drawView(view);
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

  /** Shows the document beside another analysis of its text. */
  compareWith(other, name) {
    try {
      this.comparison = new Comparison(this, other, name);
    } catch (error) {
      this.say(error.message, true);
      return;
    }
    this.choose(null);
    this.comparison.show();
  }

  /** Goes to the next label that is unsure, or to the one before. */
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
