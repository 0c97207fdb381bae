// Keeps work in this browser (localStorage), and nowhere else. One tab is one piece of work, under a key of its own: two
// tabs do not overwrite each other, and a reload finds its own work. A save replaces one value, which a browser does
// wholly or not at all, so one that is broken off leaves what was there.

import { isDecided } from "./constraints.js";
import { fromRecord, toRecord } from "./document.js";

const PREFIX = "rhetree.work.";
const MOST = 8;
const VERSION = 1;
const SHORT = 10; // steps that are kept where room is short

/** What is kept of the page's state: the record, and in full the panels that it does not tell all about. */
export function pack({ document, history, title, opened, level }) {
  const numbers = new Set([...history.done, ...history.undone].map((step) => step.number));
  document.panels.forEach((panel, number) => isDecided(panel) && numbers.add(number));
  const panels = Object.fromEntries([...numbers].map((number) => [number, document.panels[number]]));
  return { record: toRecord(document), panels, history, title, opened, level };
}

/** The document of work that was kept. */
export function unpack({ record, panels }) {
  const document = fromRecord(record);
  for (const [number, panel] of Object.entries(panels)) document.panels[number] = panel;
  return document;
}

/** Work of this tab: its own key in localStorage. */
export class Store {
  constructor(local = window.localStorage, session = window.sessionStorage) {
    this.local = local;
    this.session = session;
    this.key = session.getItem("rhetree.tab");
    if (!this.key) this.start();
  }

  /** Starts another piece of work; the one before stays. */
  start() {
    this.key = `${PREFIX}${Date.now().toString(36)}.${Math.random().toString(36).slice(2, 8)}`;
    this.session.setItem("rhetree.tab", this.key);
  }

  /** Saves; an error tells why it could not, and then the last save is still there. */
  save(work) {
    const head = { version: VERSION, saved: Date.now(), title: work.title || "", nSteps: work.history.done.length };
    const write = (kept) => this.local.setItem(this.key, `${JSON.stringify(head)}\n${JSON.stringify(kept)}`);
    const ways = [
      () => write(work),
      () => this.makeRoom() && write(work),
      // Rather a shorter history than no work.
      () => write({ ...work, history: { done: work.history.done.slice(-SHORT), undone: [] } }),
      () => write({ ...work, opened: null, history: { done: [], undone: [] } }),
    ];
    for (const [number, way] of ways.entries()) {
      try {
        if (way() !== false) break;
      } catch (error) {
        if (number === ways.length - 1) throw error;
      }
    }
    this.tidy();
  }

  /** The work of this tab, or null. */
  load() {
    return this.read(this.key);
  }

  /** Goes on with work of another tab. */
  open(key) {
    const work = this.read(key);
    if (!work) return null;
    this.key = key;
    this.session.setItem("rhetree.tab", key);
    return work;
  }

  /** All work in this browser, the newest first: {key, title, saved, nSteps}. */
  list() {
    const found = [];
    for (let at = 0; at < this.local.length; at += 1) {
      const key = this.local.key(at);
      const head = key.startsWith(PREFIX) ? headOf(this.local.getItem(key)) : null;
      if (head) found.push({ key, ...head });
    }
    return found.sort((one, other) => other.saved - one.saved);
  }

  /** Forgets one piece of work. */
  forget(key) {
    this.local.removeItem(key);
  }

  read(key) {
    const value = this.local.getItem(key);
    if (!headOf(value)) return null;
    try {
      return JSON.parse(value.slice(value.indexOf("\n")));
    } catch {
      return null; // not ours
    }
  }

  /** Forgets the oldest work that nobody corrected; whether there was any. */
  makeRoom() {
    const idle = this.list().filter((work) => work.key !== this.key && !work.nSteps);
    if (!idle.length) return false;
    for (const work of idle) this.forget(work.key);
    return true;
  }

  tidy() {
    const idle = this.list().filter((work) => work.key !== this.key && !work.nSteps);
    for (const work of idle.slice(MOST)) this.forget(work.key);
  }
}

/** The first line of a value: what it is, without reading all of it. */
function headOf(value) {
  try {
    const head = JSON.parse(value.slice(0, value.indexOf("\n")));
    return head.version === VERSION ? head : null;
  } catch {
    return null;
  }
}
