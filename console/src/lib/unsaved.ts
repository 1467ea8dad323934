/** Text that the user has typed and not saved. */
interface Edit {
  /**
   * The names of the values in the address, after `?`, that identify the edited text. A change of
   * one of these values leaves the edit.
   */
  names: readonly string[];
}

const edits = new Set<Edit>();

/** Registers an edit. @returns a function that forgets the edit */
export function noteEdit(names: readonly string[]): () => void {
  const edit = { names };
  edits.add(edit);
  return () => edits.delete(edit);
}

export function hasEdits(): boolean {
  return edits.size > 0;
}

/**
 * Forgets all edits, because they were saved, the edited text is gone, or the user gives them up.
 */
export function forgetEdits(): void {
  edits.clear();
}

interface Place {
  path: string;
  search: Readonly<Record<string, unknown>>;
}

/** Returns whether an edit would be lost by navigating from one address to another. */
export function wouldLose(current: Place, next: Place): boolean {
  if (current.path !== next.path) return hasEdits();
  return [...edits].some(({ names }) => names.some((name) => current.search[name] !== next.search[name]));
}
