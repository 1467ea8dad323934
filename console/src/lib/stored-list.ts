/**
 * Returns the list that this browser stores under a name. Returns an empty list if there is none or
 * it cannot be read.
 */
export function storedList<T>(name: string): T[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(stored) ? (stored as T[]) : [];
  } catch {
    return [];
  }
}

/** Stores a list in this browser under a name. Replaces the list that was stored before. */
export function storeList(name: string, list: readonly unknown[]): void {
  localStorage.setItem(name, JSON.stringify(list));
}
