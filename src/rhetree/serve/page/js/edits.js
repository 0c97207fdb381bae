// Corrections: each takes a panel and gives the panel as corrected, or null if it cannot be done. Nothing is changed
// in place, so undoing is going back to the panel before.
//
// A panel's `fixed` says what a person decided, by tokens: `edges` where an EDU begins (true) or does not (false), and
// `spans` of units that have to stay, each with the token `at` which it is split, and whether its nuclearity and relation
// were decided as well. constraints.js hands it to the parser.

import { splitKey } from "./document.js";
import { joinLeaves, moveSplit, NUCLEARITIES, splitLeaf } from "./tree.js";

/** Another nuclearity or relation of a split. */
export function setLabel(panel, number, change) {
  const before = panel.splits[number];
  const after = { ...before, ...change };
  if (after.nuclearity === before.nuclearity && after.relation === before.relation) return null;
  const splits = panel.splits.map((split, at) => (at === number ? after : split));
  const decided = {};
  for (const key of ["nuclearity", "relation"]) if (after[key] !== before[key]) decided[key] = true;
  return fix(corrected(panel, panel.edus, splits), number, decided);
}

/** The nuclei and satellites of a split the other way round; of two nuclei, the left one alone. */
export function swapNuclearity(panel, number) {
  const other = { NS: "SN", SN: "NS", NN: "NS" };
  return setLabel(panel, number, { nuclearity: other[panel.splits[number].nuclearity] });
}

/** The next of NS, SN and NN. */
export function nextNuclearity(panel, number) {
  const at = NUCLEARITIES.indexOf(panel.splits[number].nuclearity);
  return setLabel(panel, number, { nuclearity: NUCLEARITIES[(at + 1) % NUCLEARITIES.length] });
}

/** The split of the same unit before another EDU. */
export function moveSplitTo(panel, number, at) {
  const { start, split, end } = panel.splits[number];
  if (at === split || at <= start || at >= end) return null;
  return fix(corrected(panel, panel.edus, moveSplit(panel.splits, number, at)), number, {});
}

/** An EDU and the next one as one EDU. */
export function joinEdus(panel, edu) {
  if (!panel.edus || edu < 0 || edu + 1 >= panel.edus.length) return null;
  const [left, right] = [panel.edus[edu], panel.edus[edu + 1]];
  const edus = [...panel.edus.slice(0, edu), [left[0], right[1]], ...panel.edus.slice(edu + 2)];
  return fixEdge(corrected(panel, edus, panel.splits && joinLeaves(panel.splits, edu)), right[0], false);
}

/** An EDU as two EDUs, the second from this token on. */
export function splitEdu(panel, edu, token, { nuclearity, relation }) {
  if (!panel.edus || !panel.edus[edu]) return null;
  const [start, end] = panel.edus[edu];
  if (token <= start || token >= end) return null;
  const edus = [...panel.edus.slice(0, edu), [start, token], [token, end], ...panel.edus.slice(edu + 1)];
  const splits = panel.splits && splitLeaf(panel.splits, edu, nuclearity, relation);
  return fixEdge(corrected(panel, edus, splits), token, true);
}

/** A unit as it is, decided by a person; or no longer so. */
export function confirm(panel, number, isConfirmed) {
  const { start, end } = panel.splits[number];
  const key = spanKey(panel.edus, start, end);
  if (isConfirmed === Boolean(panel.fixed.spans[key])) return null;
  if (isConfirmed) return fix(panel, number, { nuclearity: true, relation: true });
  const spans = { ...panel.fixed.spans };
  delete spans[key];
  return { ...panel, fixed: { ...panel.fixed, spans } };
}

/** What a person decided of a split: {at, nuclearity, relation}, or null. */
export function decisionOn(panel, split) {
  return panel.fixed.spans[spanKey(panel.edus, split.start, split.end)] || null;
}

/** The panel as the parser read it again, with the decisions of the old one and the labels that were decided. */
export function readAgain(panel, fresh) {
  const decided = { ...fresh, tokens: panel.tokens, sentence: panel.sentence, fixed: panel.fixed };
  if (!fresh.splits || !panel.splits) return decided;
  const labels = new Map(panel.splits.map((split) => [spanKey(panel.edus, split.start, split.end), split]));
  let isOther = false;
  const splits = fresh.splits.map((split) => {
    const key = spanKey(fresh.edus, split.start, split.end);
    const [decision, old] = [panel.fixed.spans[key], labels.get(key)];
    if (!decision || !old) return split;
    const own = { ...split };
    if (decision.nuclearity) own.nuclearity = old.nuclearity;
    if (decision.relation) own.relation = old.relation;
    isOther ||= own.nuclearity !== split.nuclearity || own.relation !== split.relation;
    return own;
  });
  return pruned({ ...decided, splits, kept: isOther ? null : fresh.kept });
}

/** The panel with other EDUs and splits; what a model said of splits that are the same stays with them. */
function corrected(panel, edus, splits) {
  const known = new Map((panel.splits || []).map((split) => [splitKey(panel.edus, split), split]));
  const kept = splits && splits.map((split) => {
    const before = known.get(splitKey(edus, split));
    return { ...split, prob: before ? before.prob : null, labels: before ? before.labels : null };
  });
  return pruned({ ...panel, edus, splits: kept, units: null, kept: null });
}

/** Without decisions on units that are gone. */
function pruned(panel) {
  const units = new Map((panel.splits || []).map((split) => [spanKey(panel.edus, split.start, split.end), split]));
  const spans = {};
  for (const [key, decision] of Object.entries(panel.fixed.spans)) {
    const split = units.get(key);
    if (!split) continue;
    // A unit that another correction split elsewhere is no longer the one that was decided.
    if (decision.at === panel.edus[split.split][0]) spans[key] = decision;
  }
  return { ...panel, fixed: { ...panel.fixed, spans } };
}

function fix(panel, number, decided) {
  const { start, split, end } = panel.splits[number];
  const key = spanKey(panel.edus, start, end);
  const decision = { ...panel.fixed.spans[key], ...decided, at: panel.edus[split][0] };
  return { ...panel, fixed: { ...panel.fixed, spans: { ...panel.fixed.spans, [key]: decision } } };
}

function fixEdge(panel, token, begins) {
  return { ...panel, fixed: { ...panel.fixed, edges: { ...panel.fixed.edges, [token]: begins } } };
}

/** The tokens of the EDUs start..end, which name the unit. */
export function spanKey(edus, start, end) {
  return `${edus[start][0]}-${edus[end - 1][1]}`;
}
