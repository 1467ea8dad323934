/** A list that this browser keeps under a name; an empty one when there is none, or none that can be read. */
export function storedList<T>(name: string): T[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(stored) ? (stored as T[]) : [];
  } catch {
    return [];
  }
}

/** Keeps a list in this browser, in place of what stood under the name. */
export function storeList(name: string, list: readonly unknown[]): void {
  localStorage.setItem(name, JSON.stringify(list));
}
