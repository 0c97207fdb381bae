// Numbers in words, for people.

/** A number with its noun. */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A share in per cent. */
export function percent(share) {
  return share === null || share === undefined ? "" : `${Math.round(100 * share)} %`;
}
