// What was corrected, to undo and redo: for each step the panel's number, and the panel before and after it.

const MOST = 200;

/** A history without steps. */
export const EMPTY = { done: [], undone: [] };

/** The history after a step; what was undone before cannot be redone any more. */
export function noted(history, step) {
  return { done: [...history.done, step].slice(-MOST), undone: [] };
}

/** Takes the last step back: the document and history before it and the step, or null. */
export function undo(document, history) {
  const step = history.done[history.done.length - 1];
  if (!step) return null;
  return {
    step,
    document: withPanel(document, step.number, step.before),
    history: { done: history.done.slice(0, -1), undone: [...history.undone, step] },
  };
}

/** Takes the step that was undone last again. */
export function redo(document, history) {
  const step = history.undone[history.undone.length - 1];
  if (!step) return null;
  return {
    step,
    document: withPanel(document, step.number, step.after),
    history: { done: [...history.done, step], undone: history.undone.slice(0, -1) },
  };
}

/** The document with another panel in this place. */
export function withPanel(document, number, panel) {
  return { ...document, panels: document.panels.map((one, at) => (at === number ? panel : one)) };
}
