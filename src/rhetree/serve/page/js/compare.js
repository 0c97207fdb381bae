// Compares two analyses of one text as rhetree/draw/difference.py does: units that only one of them has, and units that
// both have but divide with another nuclearity or relation. Units are named by their tokens.

import { panelUnits } from "./document.js";
import { spanKey } from "./edits.js";
import { families } from "./layout.js";

/**
 * Both documents as they are compared, the pairs of panels that cover the same tokens, the marks of each side and all
 * differences in text order. An error tells if they are not of the same text.
 */
export function compare(left, right) {
  checkTokens(left, right);
  const whole = left.isWhole && right.isWhole;
  const sentences = left.sentences.length ? left.sentences : right.sentences;
  const sides = whole ? [left, right] : [bySentence(left, sentences), bySentence(right, sentences)];
  const pairs = pairUp(...sides);
  const splits = sides.map(splitsOf);
  const marks = [new Marks(splits[0], splits[1]), new Marks(splits[1], splits[0])];
  return { sides, pairs, marks, differences: differencesOf(sides, pairs, marks) };
}

function checkTokens(left, right) {
  const nTokens = Math.min(left.forms.length, right.forms.length);
  for (let at = 0; at < nTokens; at += 1) {
    if (left.forms[at] !== right.forms[at]) {
      throw new Error(`These are not of the same text: token ${at + 1} is “${left.forms[at]}” and “${right.forms[at]}”.`);
    }
  }
  if (left.forms.length !== right.forms.length) {
    throw new Error(`These are not of the same text: ${left.forms.length} and ${right.forms.length} tokens.`);
  }
}

/** A document of one tree as one of a tree for each sentence: the unit that spans exactly it, if there is one. */
export function bySentence(document, sentences) {
  if (!document.isWhole || !document.panels.length || !sentences.length) return document;
  const [whole] = document.panels;
  const starts = new Map((whole.edus || []).map(([start], at) => [start, at]));
  const ends = new Map((whole.edus || []).map(([, end], at) => [end, at + 1]));
  const panels = sentences.map((tokens, sentence) => {
    const [from, to] = [starts.get(tokens[0]), ends.get(tokens[1])];
    const panel = { ...whole, sentence, tokens, edus: null, splits: null, units: null, kept: null };
    if (from === undefined || to === undefined) return panel;
    panel.edus = whole.edus.slice(from, to);
    const top = (whole.splits || []).findIndex((split) => split.start === from && split.end === to);
    if (to - from === 1 && whole.splits) panel.splits = [];
    else if (top >= 0) {
      panel.splits = whole.splits.slice(top, top + to - from - 1).map((split) => ({
        ...split, start: split.start - from, split: split.split - from, end: split.end - from,
      }));
    }
    return panel;
  });
  return { ...document, isWhole: false, sentences, panels };
}

/** The shortest runs of panels on both sides that start and end at the same tokens. */
function pairUp(left, right) {
  const pairs = [];
  let [ours, theirs, at] = [[], [], 0];
  const endOf = (document, numbers) => document.panels[numbers[numbers.length - 1]].tokens[1];
  left.panels.forEach((panel, number) => {
    ours.push(number);
    while (!theirs.length || endOf(right, theirs) < panel.tokens[1]) theirs.push(at++);
    if (endOf(right, theirs) === panel.tokens[1]) {
      pairs.push([ours, theirs]);
      [ours, theirs] = [[], []];
    }
  });
  return pairs;
}

/** How each unit is divided, by its tokens: {letters, relations}, or null for an EDU. */
function splitsOf(document) {
  const found = new Map();
  for (const panel of document.panels) {
    if (!panel.edus) {
      found.set(panel.tokens.join("-"), null);
      continue;
    }
    const units = panelUnits(panel) || panel.edus.map((_, at) => ({ start: at, end: at + 1 }));
    families(units).forEach((numbers, number) => {
      const { start, end } = units[number];
      found.set(spanKey(panel.edus, start, end), numbers.length ? divided(numbers.map((child) => units[child])) : null);
    });
  }
  return found;
}

function divided(family) {
  // A list of three and a list of four nuclei differ in their units, not in their nuclearity.
  const letters = family.map((child) => (child.role === "nucleus" ? "N" : "S")).join("").replace(/N{2,}/g, "NN");
  const relations = [...new Set(family.map((child) => child.relation).filter(Boolean))].join(" + ");
  return { letters, relations };
}

/** How the units of one side differ from those of the other. */
class Marks {
  constructor(ours, theirs) {
    this.marks = new Map();
    for (const [key, split] of ours) {
      const other = theirs.get(key);
      if (other === undefined) this.marks.set(key, { isOnly: true, sign: "" });
      else if (split && other) {
        const nuclearity = split.letters !== other.letters ? "N" : "";
        const relation = split.relations !== other.relations ? "R" : "";
        if (nuclearity || relation) this.marks.set(key, { isOnly: false, sign: `≠${nuclearity}${relation}`, other: other.relations });
      }
    }
  }

  has(key) {
    return this.marks.has(key);
  }

  isOnly(key) {
    return this.marks.get(key)?.isOnly || false;
  }

  sign(key) {
    return this.marks.get(key)?.sign || "";
  }

  /** The difference in words. */
  told(key) {
    const mark = this.marks.get(key);
    if (!mark) return "";
    if (mark.isOnly) return "only on this side";
    const what = { "≠N": "other nuclearity", "≠R": "other relation", "≠NR": "other nuclearity and relation" }[mark.sign];
    return `${what} on the other side, ${mark.other}`;
  }
}

/** Every difference once, in text order: {pair, side, number, start, end, told}. */
function differencesOf(sides, pairs, marks) {
  return pairs.flatMap((pair, at) => {
    const found = [];
    const seen = new Set();
    pair.forEach((numbers, side) => numbers.forEach((number) => {
      const panel = sides[side].panels[number];
      const units = panel.edus ? panelUnits(panel) || panel.edus.map((_, edu) => ({ start: edu, end: edu + 1 })) : [];
      for (const { start, end } of units) {
        const key = spanKey(panel.edus, start, end);
        if (!marks[side].has(key) || seen.has(key)) continue;
        seen.add(key);
        const [from, to] = key.split("-").map(Number);
        found.push({ pair: at, side, number, start, end, from, to, told: marks[side].told(key) });
      }
    }));
    return found.sort((one, other) => one.from - other.from || other.to - one.to);
  });
}
