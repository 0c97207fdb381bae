// A document as the page works on it, from our JSON and back.
//
// A panel is what gets one tree: a sentence, or the whole document if that has one tree. Its EDUs are spans of the
// document's tokens. Everything is plain data, so that it can be kept in the browser and compared.

import { clean } from "./text.js";
import { unitsOf } from "./tree.js";

const KEPT = ["id", "text", "markup", "blocks", "metadata", "syntax"];

/** The page's document of a record in our JSON. */
export function fromRecord(record) {
  const whole = Boolean(record.tree || record.edus || !(record.sentences && record.sentences.length));
  const document = { base: {}, forms: [], offsets: [], sentences: [], panels: [], isWhole: whole, edges: [], signals: [] };
  for (const key of KEPT) if (record[key] !== undefined) document.base[key] = record[key];
  const parts = record.sentences && record.sentences.length ? record.sentences : [record];
  for (const part of parts) {
    const first = document.forms.length;
    document.forms.push(...(part.tokens || []));
    document.offsets.push(...(part.offsets || []));
    if (record.sentences && record.sentences.length) document.sentences.push([first, document.forms.length]);
  }
  if (whole) addWhole(document, record);
  else record.sentences.forEach((sentence, number) => addSentence(document, sentence, number));
  return document;
}

/** The record of a document, for the service to read. */
export function toRecord(document) {
  const record = { format: "rhetree", version: 1, ...document.base };
  if (document.isWhole) return wholeRecord(document, record);
  const hasTrees = document.panels.some((panel) => panel.splits);
  record.sentences = document.panels.map((panel) => {
    const [from, to] = panel.tokens;
    const sentence = { tokens: document.forms.slice(from, to), offsets: document.offsets.slice(from, to) };
    if (panel.edus) sentence.edus = panel.edus.map(([start, end]) => [start - from, end - from]);
    if (hasTrees) sentence.splits = panel.splits && panel.splits.map(plain);
    return panel.kept ? { ...sentence, ...panel.kept } : sentence;
  });
  if (document.panels.some((panel) => !panel.edus)) for (const one of record.sentences) delete one.edus;
  return record;
}

/** One panel as a document of its own, for formats that hold one tree. */
export function panelRecord(document, number) {
  const panel = document.panels[number];
  const [from, to] = panel.tokens;
  const edus = (panel.edus || []).map(([start, end]) => [start - from, end - from]);
  const record = { format: "rhetree", version: 1, id: document.base.id || "", text: document.base.text };
  if (document.base.markup) record.markup = document.base.markup;
  Object.assign(record, { tokens: document.forms.slice(from, to), offsets: document.offsets.slice(from, to), edus });
  if (panel.splits) record.tree = panel.splits.map(plain);
  return record;
}

/** The text, tokens and layout of a document, without EDUs and trees; one sentence if sentences are not known. */
export function bareRecord(document) {
  const { id, text, markup, blocks } = document.base;
  const spans = document.sentences.length ? document.sentences : [[0, document.forms.length]];
  const sentences = spans.map(([from, to]) => ({
    tokens: document.forms.slice(from, to), offsets: document.offsets.slice(from, to),
  }));
  return { id: id || "", text, ...(markup && { markup }), ...(blocks && { blocks }), sentences };
}

/** The characters from..to of the text; offsets count characters, which may be two units of a string. */
export function textBetween(document, from, to) {
  let characters = cache.get(document.base);
  if (characters === undefined) {
    characters = /[\ud800-\udfff]/.test(document.base.text) ? Array.from(document.base.text) : null;
    cache.set(document.base, characters);
  }
  const slice = (start, end) =>
    (characters ? characters.slice(start, end).join("") : document.base.text.slice(start, end));
  const markup = document.base.markup;
  if (!markup) return slice(from, to);
  let read = "";
  let at = from;
  for (const [start, end, shown] of markup) {
    if (start < from) continue;
    if (start >= to) break;
    read += slice(at, start) + shown;
    at = end;
  }
  return read + slice(at, Math.max(at, to));
}

const cache = new WeakMap();

/** The text of tokens start..end on one line. */
export function textOf(document, start, end) {
  return clean(textBetween(document, document.offsets[start][0], document.offsets[end - 1][1]));
}

/** The texts of a panel's EDUs, or the panel's text as the only one. */
export function eduTexts(document, panel) {
  return (panel.edus || [panel.tokens]).map(([start, end]) => textOf(document, start, end));
}

/** The units of a panel's tree in pre-order, as drawn; null if it has no tree. */
export function panelUnits(panel) {
  if (panel.units) return panel.units;
  return panel.splits ? unitsOf(panel.splits, panel.edus.length) : null;
}

/** The number of the first EDU of each panel, counted from 0. */
export function firstEdus(document) {
  let at = 0;
  return document.panels.map((panel) => {
    const first = at;
    at += panel.edus ? panel.edus.length : 0;
    return first;
  });
}

/** What a split is called whatever happens to other EDUs: the tokens at which it starts, divides and ends. */
export function splitKey(edus, split) {
  return `${edus[split.start][0]}-${edus[split.split][0]}-${edus[split.end - 1][1]}`;
}

export const NOTHING_FIXED = { edges: {}, spans: {} };

function makePanel(sentence, tokens, edus, splits, units = null) {
  return { sentence, tokens, edus, splits, units, endProbs: null, kept: null, fixed: NOTHING_FIXED };
}

function addSentence(document, sentence, number) {
  const tokens = document.sentences[number];
  const edus = sentence.edus ? sentence.edus.map(([start, end]) => [start + tokens[0], end + tokens[0]]) : null;
  const panel = makePanel(number, tokens, edus, sentence.splits ? sentence.splits.map(named) : null);
  const { probabilities, alternatives } = sentence;
  if (probabilities) {
    panel.kept = alternatives ? { probabilities, alternatives } : { probabilities };
    panel.endProbs = endProbsOf(sentence.edus, probabilities, tokens[0]);
    addProbs(panel.splits || [], probabilities);
  }
  document.panels.push(panel);
}

/** The probability of the end of each EDU of a sentence, by tokens of the document. */
function endProbsOf(edus, probabilities, first) {
  return Object.fromEntries(edus.map(([, end], at) => [end + first, probabilities.edus[at]]));
}

function addProbs(splits, probabilities) {
  splits.forEach((split, at) => {
    if (!probabilities.splits) return;
    split.prob = probabilities.splits[at];
    split.labels = probabilities.labels[at];
  });
}

function addWhole(document, record) {
  const nTokens = document.forms.length;
  if (!nTokens) return;
  const bySentence = (record.sentences || []).flatMap((sentence, number) =>
    (sentence.edus || []).map(([start, end]) => [start + document.sentences[number][0], end + document.sentences[number][0]]));
  const edus = record.edus || (bySentence.length ? bySentence : null);
  const units = record.nary ? record.nary.map(([start, end, role, relation]) => ({ start, end, role, relation })) : null;
  const panel = makePanel(null, [0, nTokens], edus, record.tree ? record.tree.map(named) : null, units);
  panel.kept = record.sentences && record.tree ? readingsOf(record) : null;
  if (edus) addWholeProbs(panel, record, document.sentences);
  document.panels.push(panel);
  const tokensOf = ([start, end]) => [edus[start][0], edus[end - 1][1]];
  document.edges = (record.secondary_edges || []).map((edge) => ({
    ...edge, source: tokensOf(edge.source), target: tokensOf(edge.target),
  }));
  document.signals = (record.signals || []).map((signal) =>
    (signal.source ? { ...signal, source: tokensOf(signal.source) } : signal));
}

/** What a model said of sentences and splits, to be written back as long as nothing changes. */
function readingsOf(record) {
  const readings = record.sentences.map(({ splits, probabilities, alternatives }) =>
    ({ splits, probabilities, alternatives }));
  return { readings, split_probabilities: record.split_probabilities };
}

function addWholeProbs(panel, record, sentences) {
  const known = new Map((record.split_probabilities || []).map((one) => [String(one.edus), one]));
  let first = 0;
  for (const [at, sentence] of (record.sentences || []).entries()) {
    const found = sentence.probabilities;
    if (found && sentence.edus) Object.assign(panel.endProbs ??= {}, endProbsOf(sentence.edus, found, sentences[at][0]));
    (sentence.splits || []).forEach(([start, split, end], number) => {
      if (found && found.splits) {
        known.set(String([start + first, end + first]), {
          at: split + first, probability: found.splits[number], labels: found.labels[number],
        });
      }
    });
    first += (sentence.edus || []).length;
  }
  for (const split of panel.splits || []) {
    const one = known.get(String([split.start, split.end]));
    if (one && (one.at === undefined || one.at === split.split)) {
      split.prob = one.probability;
      split.labels = one.labels;
    }
  }
}

function wholeRecord(document, record) {
  const [panel] = document.panels;
  if (!panel) return record;
  if (document.sentences.length) {
    record.sentences = document.sentences.map(([from, to]) => ({
      tokens: document.forms.slice(from, to), offsets: document.offsets.slice(from, to),
    }));
  } else {
    Object.assign(record, { tokens: document.forms, offsets: document.offsets });
  }
  if (!panel.edus) return record;
  record.edus = panel.edus;
  if (!panel.splits) return record;
  record.tree = panel.splits.map(plain);
  if (panel.units) record.nary = panel.units.map(({ start, end, role, relation }) => [start, end, role, relation]);
  addReadings(record, panel);
  addAnnotations(document, record, panel);
  return record;
}

function addReadings(record, panel) {
  if (!panel.kept || !panel.kept.readings.some((reading) => reading.probabilities)) return;
  // Readings are of sentences, so EDUs have to be listed with them.
  delete record.edus;
  let at = 0;
  record.sentences.forEach((sentence, number) => {
    const from = at;
    at += sentence.tokens.length;
    sentence.edus = panel.edus.filter(([start]) => start >= from && start < at).map(([start, end]) => [start - from, end - from]);
    for (const [key, value] of Object.entries(panel.kept.readings[number])) if (value) sentence[key] = value;
  });
  if (panel.kept.split_probabilities) record.split_probabilities = panel.kept.split_probabilities;
}

/** Secondary edges and signals of units that are still there. */
function addAnnotations(document, record, panel) {
  const starts = new Map(panel.edus.map(([start], at) => [start, at]));
  const ends = new Map(panel.edus.map(([, end], at) => [end, at + 1]));
  const units = new Set(panelUnits(panel).map(({ start, end }) => `${start}-${end}`));
  const found = ([from, to]) => {
    const span = [starts.get(from), ends.get(to)];
    return units.has(span.join("-")) ? span : null;
  };
  const places = new Map();
  const edges = [];
  document.edges.forEach((edge, number) => {
    const [source, target] = [found(edge.source), found(edge.target)];
    if (!source || !target) return;
    places.set(number, edges.length);
    edges.push({ ...edge, source, target });
  });
  const signals = document.signals.flatMap((signal) => {
    if (signal.source) return found(signal.source) ? [{ ...signal, source: found(signal.source) }] : [];
    const place = places.get(signal.secondary_edge);
    return place === undefined ? [] : [{ ...signal, secondary_edge: place }];
  });
  if (edges.length) record.secondary_edges = edges;
  if (signals.length) record.signals = signals;
}

function named([start, split, end, nuclearity, relation]) {
  return { start, split, end, nuclearity, relation, prob: null, labels: null };
}

function plain({ start, split, end, nuclearity, relation }) {
  return [start, split, end, nuclearity, relation];
}
