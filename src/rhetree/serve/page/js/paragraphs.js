// Paragraphs, headings and items of lists, where a record has them as `blocks`: which EDU is in which, and which units of
// the tree of a whole text lie in one of them. The same as in rhetree/draw/html.py.

import { families } from "./layout.js";

/** The number of the block in which each EDU of a panel starts; empty if the blocks are not known. */
export function eduBlocks(document, panel) {
  const { blocks } = document.base;
  if (!blocks || !panel.edus) return [];
  let at = 0;
  return panel.edus.map(([token]) => {
    const place = document.offsets[token][0];
    while (at + 1 < blocks.length && blocks[at + 1][0] <= place) at += 1;
    return at;
  });
}

/** The largest units of several EDUs that lie in one block; never the whole tree. */
export function paragraphUnits(units, blocks) {
  if (!blocks.length) return [];
  const isInside = ({ start, end }) => blocks[start] === blocks[end - 1];
  return families(units).flatMap((numbers, number) =>
    (isInside(units[number]) ? [] : numbers.map((child) => units[child])
      .filter((child) => child.end - child.start > 1 && isInside(child))));
}
