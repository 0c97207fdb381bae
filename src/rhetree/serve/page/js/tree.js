// Trees as flat lists, as everywhere in Rhetree: the n-1 splits of n EDUs in pre-order, each
// {start, split, end, nuclearity, relation} and, if a model made it, {prob, labels}. All functions are pure.

export const NUCLEARITIES = ["NS", "SN", "NN"];

/** The units of a binary tree in pre-order: {start, end, role, relation}. */
export function unitsOf(splits, nEdus) {
  const units = [{ start: 0, end: nEdus, role: "root", relation: null }];
  for (const { start, split, end, nuclearity, relation } of splits) {
    const both = nuclearity === "NN";
    const unit = (from, to, letter) => ({
      start: from, end: to,
      role: letter === "N" ? "nucleus" : "satellite",
      relation: both || letter === "S" ? relation : null,
    });
    units.push(unit(start, split, nuclearity[0]), unit(split, end, nuclearity[1]));
  }
  return units.sort((one, other) => one.start - other.start || other.end - one.end);
}

/** How many satellites an EDU is in, or is: 0 for the nuclei that remain when all satellites are left out. */
export function satelliteRanks(units, nEdus) {
  const ranks = new Array(nEdus).fill(0);
  for (const { start, end, role } of units) {
    if (role === "satellite") for (let edu = start; edu < end; edu += 1) ranks[edu] += 1;
  }
  return ranks;
}

/** The place in `splits` of the one that splits these EDUs, or -1. */
export function splitAt(splits, start, end) {
  return splits.findIndex((split) => split.start === start && split.end === end);
}

/** The tree over the EDUs from..to alone; numbers stay those of the whole. */
export function restrict(splits, from, to) {
  const kept = [];
  for (const split of splits) {
    const start = Math.max(split.start, from);
    const end = Math.min(split.end, to);
    // A part that lost all its EDUs leaves its sibling in its place.
    if (start < split.split && split.split < end) kept.push({ ...split, start, end });
  }
  return kept;
}

/** The tree with the unit start..end split before EDU `at` instead. Each boundary keeps its own relation. */
export function moveSplit(splits, number, at) {
  const { start, end } = splits[number];
  const size = end - start - 1;
  const within = splits.slice(number, number + size);
  const top = within.find((split) => split.split === at);
  return [
    ...splits.slice(0, number),
    { ...top, start, end },
    ...restrict(within, start, at),
    ...restrict(within, at, end),
    ...splits.slice(number + size),
  ];
}

/**
 * The tree in which EDU `edu` is one with the next. The relation between the two goes; every other boundary keeps its
 * own.
 */
export function joinLeaves(splits, edu) {
  const boundary = edu + 1;
  const joint = splits.find((split) => split.split === boundary);
  // Take out a leaf: the left one if it is a part by itself, else the right one.
  const gone = joint.start === edu ? edu : boundary;
  const labels = new Map(splits.map((split) => [split.split, split]));
  const kept = [];
  for (const { start, split, end } of splits) {
    const left = split - start - (gone >= start && gone < split ? 1 : 0);
    const right = end - split - (gone >= split && gone < end ? 1 : 0);
    if (!left || !right) continue;
    const from = start > gone ? start - 1 : start;
    kept.push({ start: from, split: from + left, end: from + left + right });
  }
  // Boundary b of the new tree is b of the old one before the joint, b + 1 after it.
  return kept.map((one) => ({
    ...labels.get(one.split < boundary ? one.split : one.split + 1),
    ...one,
  }));
}

/** The tree in which EDU `edu` is two EDUs, with this label between them. */
export function splitLeaf(splits, edu, nuclearity, relation) {
  const moved = splits.map((split) => ({
    ...split,
    start: split.start > edu ? split.start + 1 : split.start,
    split: split.split > edu ? split.split + 1 : split.split,
    end: split.end > edu ? split.end + 1 : split.end,
  }));
  const added = { start: edu, split: edu + 1, end: edu + 2, nuclearity, relation, prob: null, labels: null };
  return inPreorder([...moved, added]);
}

/** The splits in pre-order. */
export function inPreorder(splits) {
  return [...splits].sort((one, other) => one.start - other.start || other.end - one.end);
}

/** Says what is wrong with a tree of so many EDUs, or null: the check of rhetree/domain/tree.py. */
export function faultOf(splits, nEdus) {
  if (splits.length !== nEdus - 1) return `${splits.length} splits of ${nEdus} EDUs`;
  const waiting = nEdus > 1 ? [[0, nEdus]] : [];
  for (const split of splits) {
    const [start, end] = waiting.pop() || [];
    if (split.start !== start || split.end !== end || !(start < split.split && split.split < end)) {
      return `the next split is that of ${start}..${end}, found ${split.start} ${split.split} ${split.end}`;
    }
    if (!NUCLEARITIES.includes(split.nuclearity) || !split.relation) return `no label at ${start}..${end}`;
    if (end - split.split > 1) waiting.push([split.split, end]);
    if (split.split - start > 1) waiting.push([start, split.split]);
  }
  return null;
}
