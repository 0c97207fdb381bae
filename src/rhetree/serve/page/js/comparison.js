// Two analyses side by side on the screen, and the way from difference to difference.

import { compare } from "./compare.js";
import { byId, make } from "./dom.js";
import { counted } from "./words.js";

export class Comparison {
  /** An error tells if the two are not of the same text. */
  constructor(app, other, name) {
    this.app = app;
    this.name = name;
    Object.assign(this, compare(app.document, other));
    this.at = -1;
  }

  show() {
    const { app, name } = this;
    const nFound = this.differences.length;
    app.list.showPairs(this.pairs, this.sides, this.marks);
    app.list.root.prepend(this.titles());
    byId("differences").hidden = false;
    byId("n-differences").textContent = nFound;
    byId("next").disabled = byId("previous").disabled = !nFound;
    app.told();
    app.say(nFound ? `${counted(nFound, "difference")} to ${name}.` : `No difference to ${name}.`);
  }

  titles() {
    const row = make("section", "row pair titles");
    const legend = make("p", "legend");
    legend.append("dashed with ", make("b", "", "◆"), ": only on this side · ", make("b", "", "≠N"), " other nuclearity · ");
    legend.append(make("b", "", "≠R"), " other relation");
    row.append(make("span", "count"), make("h2", "", "This document"), make("h2", "", this.name), legend);
    return row;
  }

  /** Goes to the next difference, or to the one before. */
  go(step) {
    const nFound = this.differences.length;
    if (!nFound) return;
    this.at = this.at < 0 && step < 0 ? nFound - 1 : (this.at + step + nFound) % nFound;
    const found = this.differences[this.at];
    const { list } = this.app;
    const row = list.rows[found.pair];
    list.section(row);
    const view = row.views.find((one) => one.side === found.side && one.number === found.number);
    for (const one of list.rows.flatMap((each) => each.views || [])) one.light();
    this.app.focus(view, found.start, found.end);
    view.light(found.start, found.end);
    const where = found.side ? `right, ${this.name}` : "left, this document";
    this.app.say(`Difference ${this.at + 1} of ${nFound} (${where}): ${found.told}.`);
  }
}
