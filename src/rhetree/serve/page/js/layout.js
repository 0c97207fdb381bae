// Places the bars, stems, arcs and brackets of an RST diagram: the same geometry as rhetree/draw/layout.py, so that
// the page looks like our SVG. Numbers only; diagram.js draws them.

export const ARC_BAND = 44;
export const ARC_RISE = 22;
export const BRACKET_BAND = 40;
export const BRACKET_DROP = 20;
export const GAP = 18;
export const LABEL_PAD = 14;

/**
 * The diagram of a tree, followed by those of units cut out of it because it would be wider than `limit`.
 *
 * @param units the units in pre-order: {start, end, role, relation}
 * @param measure text(unit), reference(unit): {width, height}; label(unit, relation, boundary), caption(unit): width
 * @param isFolded tells of a unit whether it is drawn as one box
 */
export function layOut(units, measure, { limit = Infinity, isFolded = () => false } = {}) {
  const nodes = makeNodes(units, isFolded);
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    let cuttable = node.children.filter((child) => child.children.length);
    for (const child of cuttable) child.isCut = false;
    place(node, measure);
    let nToCut = 1;
    while (node.width > limit) {
      cuttable = cuttable.filter((child) => !child.isCut).sort((one, other) => other.width - one.width);
      if (!cuttable.length) break;
      // Cut the widest first, and twice as many each turn, so that many children take few turns.
      const least = Math.min(limit / 3, cuttable[Math.min(nToCut, cuttable.length) - 1].width);
      for (const child of cuttable) child.isCut = child.width >= least;
      nToCut *= 2;
      place(node, measure);
    }
  }
  return draw(nodes, measure);
}

/** The children of each unit, as indices, for units in pre-order. */
export function families(units) {
  const found = units.map(() => []);
  const open = [];
  units.forEach((unit, number) => {
    while (open.length && units[open[open.length - 1]].end <= unit.start) open.pop();
    if (open.length) found[open[open.length - 1]].push(number);
    open.push(number);
  });
  return found;
}

function makeNode(unit) {
  return {
    start: unit.start, end: unit.end, children: [], relations: [], nucleus: null, offsets: [],
    width: 0, anchor: 0, isCut: false, isFolded: false, x: 0, y: 0, diagram: 0,
  };
}

/**
 * The nodes to draw, parents first. Each has either one nucleus with satellites, or nuclei only: a unit that mixes
 * several nuclei with satellites gets groups.
 */
function makeNodes(units, isFolded) {
  const made = units.map(makeNode);
  const nodes = [];
  const hidden = new Set();
  families(units).forEach((numbers, number) => {
    if (hidden.has(number)) {
      numbers.forEach((child) => hidden.add(child));
      return;
    }
    const parent = made[number];
    nodes.push(parent);
    if (numbers.length && isFolded(units[number])) {
      parent.isFolded = true;
      numbers.forEach((child) => hidden.add(child));
      return;
    }
    const family = numbers.map((child) => units[child]);
    const own = new Map(numbers.map((child) => [units[child], made[child]]));
    const nuclei = family.flatMap((child, at) => (child.role === "nucleus" ? [at] : []));
    if (nuclei.length < 2 || nuclei.length === family.length) {
      fillNode(parent, family, own);
      return;
    }
    const first = nuclei[0];
    const last = nuclei[nuclei.length - 1];
    let core = parent;
    if (first > 0 || last < family.length - 1) {
      core = makeNode({ start: family[first].start, end: family[last].end });
      nodes.push(core);
      const around = [...family.slice(0, first), ...family.slice(last + 1)];
      parent.children = around.map((child) => own.get(child));
      parent.relations = around.map((child) => child.relation || "");
      parent.nucleus = first;
      parent.children.splice(first, 0, core);
      parent.relations.splice(first, 0, "");
    }
    core.relations = [family[first].relation || ""];
    nuclei.forEach((at, which) => {
      const members = family.slice(at, which + 1 < nuclei.length ? nuclei[which + 1] : last + 1);
      let child = own.get(members[0]);
      if (members.length > 1) {
        child = makeNode({ start: members[0].start, end: members[members.length - 1].end });
        fillNode(child, members, own);
        nodes.push(child);
      }
      core.children.push(child);
    });
  });
  return nodes;
}

function fillNode(parent, family, own) {
  parent.children = family.map((child) => own.get(child));
  const nuclei = family.flatMap((child, at) => (child.role === "nucleus" ? [at] : []));
  if (nuclei.length === 1) {
    [parent.nucleus] = nuclei;
    parent.relations = family.map((child) => child.relation || "");
  } else if (nuclei.length) {
    parent.relations = [family[0].relation || ""];
  }
}

function place(node, measure) {
  if (!node.children.length) {
    node.width = (node.isFolded ? measure.reference(node) : measure.text(node)).width;
    node.anchor = node.width / 2;
    return;
  }
  const boxes = node.children.map((child) => box(child, measure));
  if (node.nucleus === null) placeNuclei(node, boxes, measure);
  else placeSatellites(node, boxes, measure);
  // The unit's numbers are below the left end of its bar, left of the first vertical line.
  const firstLine = Math.min(...node.offsets.map((offset, at) => offset + boxes[at].anchor));
  const shift = Math.max(-node.offsets[0], measure.caption(node) - firstLine);
  node.offsets = node.offsets.map((offset) => offset + shift);
  const last = boxes.length - 1;
  node.width = node.offsets[last] + boxes[last].width;
  const anchors = node.offsets.map((offset, at) => offset + boxes[at].anchor);
  node.anchor = node.nucleus === null ? (anchors[0] + anchors[last]) / 2 : anchors[node.nucleus];
}

function placeNuclei(node, boxes, measure) {
  let at = 0;
  node.offsets = boxes.map(({ width }) => {
    const offset = at;
    at += width + GAP;
    return offset;
  });
  const last = boxes.length - 1;
  const reach = node.offsets[last] + boxes[last].anchor - boxes[0].anchor;
  const missing = measure.label(node, node.relations[0], node.children[1].start) + 2 * LABEL_PAD - reach;
  if (missing > 0) node.offsets = node.offsets.map((offset, number) => offset + (number * missing) / last);
}

/** Places satellites from the nucleus outwards, first to the right, then to the left. */
function placeSatellites(node, boxes, measure) {
  node.offsets = boxes.map(() => 0);
  const stem = boxes[node.nucleus].anchor;
  let at = boxes[node.nucleus].width;
  for (let which = node.nucleus + 1; which < boxes.length; which += 1) {
    const room = measure.label(node, node.relations[which], node.children[which].start) + 2 * LABEL_PAD;
    node.offsets[which] = Math.max(at + GAP, stem + room - boxes[which].anchor);
    at = node.offsets[which] + boxes[which].width;
  }
  at = 0;
  for (let which = node.nucleus - 1; which >= 0; which -= 1) {
    const room = measure.label(node, node.relations[which], node.children[which].end) + 2 * LABEL_PAD;
    node.offsets[which] = Math.min(at - GAP - boxes[which].width, stem - room - boxes[which].anchor);
    at = node.offsets[which];
  }
}

function box(node, measure) {
  if (!node.isCut) return node;
  const { width } = measure.reference(node);
  return { width, anchor: width / 2 };
}

function draw(nodes, measure) {
  const diagrams = [];
  for (const node of nodes) {
    if (node.isCut) {
      const size = measure.reference(node);
      addBar(diagrams[node.diagram], { ...barOf(node, size.width), isCut: true }, size.height);
    }
    if (node.isCut || !diagrams.length) {
      diagrams.push({
        start: node.start, end: node.end, width: 0, height: 0, bars: [], stems: [], arcs: [], brackets: [],
      });
      [node.x, node.y, node.diagram] = [0, 0, diagrams.length - 1];
    }
    const diagram = diagrams[node.diagram];
    if (node.isFolded) {
      addBar(diagram, { ...barOf(node, node.width), isFolded: true }, measure.reference(node).height);
      continue;
    }
    const height = node.children.length ? 0 : measure.text(node).height;
    addBar(diagram, { ...barOf(node, node.width), isGroup: node.children.length > 0 }, height);
    node.children.forEach((child, at) => {
      [child.x, child.diagram] = [node.x + node.offsets[at], node.diagram];
    });
    if (node.nucleus !== null) drawSatellites(node, diagram, measure);
    else if (node.children.length) drawNuclei(node, diagram, measure);
  }
  return diagrams;
}

function barOf(node, width) {
  return { start: node.start, end: node.end, left: node.x, right: node.x + width, y: node.y };
}

function addBar(diagram, bar, height) {
  diagram.bars.push(bar);
  diagram.width = Math.max(diagram.width, bar.right);
  diagram.height = Math.max(diagram.height, bar.y + height);
}

function drawNuclei(node, diagram, measure) {
  const bottom = node.y + BRACKET_BAND;
  for (const child of node.children) child.y = bottom;
  const nuclei = node.children.map((child) => child.x + box(child, measure).anchor);
  diagram.brackets.push({
    start: node.start, end: node.end, relation: node.relations[0], x: node.x + node.anchor, top: node.y, nuclei,
    bottom, y: bottom - BRACKET_DROP, boundary: node.children[1].start,
  });
}

/** The nearest satellites are level with the nucleus, each farther one a band higher. */
function drawSatellites(node, diagram, measure) {
  const stem = node.x + node.anchor;
  const nBands = Math.max(node.nucleus, node.children.length - 1 - node.nucleus);
  const bottom = node.y + nBands * ARC_BAND;
  diagram.stems.push({ start: node.start, end: node.end, x: stem, top: node.y, bottom });
  node.children.forEach((child, at) => {
    const rank = Math.abs(at - node.nucleus);
    child.y = bottom - Math.max(0, rank - 1) * ARC_BAND;
    if (!rank) return;
    diagram.arcs.push({
      start: node.start, end: node.end, relation: node.relations[at], satellite: child.x + box(child, measure).anchor,
      nucleus: stem, y: child.y, top: child.y - ARC_RISE, isNearest: rank === 1,
      child: { start: child.start, end: child.end }, boundary: at < node.nucleus ? child.end : child.start,
    });
  });
}
