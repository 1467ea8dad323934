/** Something that was typed and is not saved. */
interface Edit {
  /** Names of values of the address, after `?`, that say which text is edited: another value of one of them leaves the edit. */
  names: readonly string[];
}

const edits = new Set<Edit>();

/** Notes an edit. @returns forgets it */
export function noteEdit(names: readonly string[]): () => void {
  const edit = { names };
  edits.add(edit);
  return () => edits.delete(edit);
}

export function hasEdits(): boolean {
  return edits.size > 0;
}

/** Forgets all edits: they were saved, what they change is gone, or the user gives them up. */
export function forgetEdits(): void {
  edits.clear();
}

interface Place {
  pathname: string;
  search: Readonly<Record<string, unknown>>;
}

/** Whether an edit would be lost by going from one address to another. */
export function wouldLose(current: Place, next: Place): boolean {
  if (current.pathname !== next.pathname) return hasEdits();
  return [...edits].some(({ names }) => names.some((name) => current.search[name] !== next.search[name]));
}
