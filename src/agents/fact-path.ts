const FACT_PATH = /^facts\/([1-9]\d{0,17})$/;

/** The fact that a path names (`facts/12`); undefined for a path that no fact can have. */
export function factOfPath(path: string): string | undefined {
  return FACT_PATH.exec(path)?.[1];
}
