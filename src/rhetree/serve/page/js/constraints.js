// What a person decided about a panel, as constraints for the parser: `constraints` of POST /v1/parse.
//
// One sentence is sent at a time, as tokens, so positions are characters of its tokens with single spaces between them.

/**
 * The body of the request that parses the rest of a panel again.
 *
 * @param labels the model's labels; one that it does not know is not sent, as it could only refuse it
 */
export function requestFor(document, panel, labels) {
  const [from, to] = panel.tokens;
  const forms = document.forms.slice(from, to);
  const positions = positionsOf(forms);
  const at = (token) => positions[token - from];
  const edges = Object.entries(panel.fixed.edges).map(([token, begins]) => [Number(token), begins]);
  const starts = new Set((panel.edus || []).map(([start]) => start));
  const spans = (panel.splits || []).flatMap((split) => {
    const [start, end] = [panel.edus[split.start][0], panel.edus[split.end - 1][1]];
    const decision = panel.fixed.spans[`${start}-${end}`];
    if (!decision) return [];
    // The end is before the space that follows.
    const span = { start: at(start), end: at(end) - 1, split: at(panel.edus[split.split][0]) };
    const label = {};
    if (decision.nuclearity) label.nuclearity = split.nuclearity;
    if (decision.relation) label.relation = split.relation;
    return [isKnown(label, labels) ? { ...span, ...label } : span];
  });
  const constraints = {
    boundaries: edges.filter(([token, begins]) => begins && starts.has(token)).map(([token]) => at(token)),
    joined: edges.filter(([token, begins]) => !begins && !starts.has(token)).map(([token]) => at(token)),
    spans,
  };
  return { document: { id: "", tokens: [forms] }, edus: "auto", constraints };
}

/** The body of the request that finds the trees of a document without any; its EDUs stay, if it has some. */
export function requestForTrees(document, record) {
  const edus = document.panels.flatMap((panel) => panel.edus || []);
  if (!edus.length) return { document: record, edus: "auto" };
  if (document.sentences.length) return { document: record, edus: "gold" };
  // Its sentences are not known, so the text is parsed, and has to have these EDUs.
  const spans = edus.map(([start, end]) => [document.offsets[start][0], document.offsets[end - 1][1]]);
  return { text: record.text, constraints: { edus: spans } };
}

/** Whether the model has a label with this relation and this nuclearity, as far as they are given. */
function isKnown({ nuclearity, relation }, labels) {
  return labels.some((label) =>
    (!relation || label.slice(0, -3) === relation) && (!nuclearity || label.slice(-2) === nuclearity));
}

/** Whether a person decided anything about a panel. */
export function isDecided(panel) {
  return Object.keys(panel.fixed.edges).length + Object.keys(panel.fixed.spans).length > 0;
}

/** The place of each token in the text of tokens with single spaces, and the place after the last and a space. */
function positionsOf(forms) {
  const positions = [0];
  for (const form of forms) positions.push(positions[positions.length - 1] + Array.from(form).length + 1);
  return positions;
}
