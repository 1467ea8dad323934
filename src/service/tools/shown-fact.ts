/** The id of a fact in any form that a tool shows: `7`, `facts/7`, `facts/7#L1`, a citation. */
const SHOWN_FACT =
  /^\s*[`"'[(]?(?:source: )?(?:\.?\/)?(?:facts?[/ ]|#)?([1-9]\d{0,17})(?:#L\d+(?:-L?\d+)?)?[`"'\])]?\s*$/i;

/** Returns the id of the fact that a text shows; undefined if it shows none. */
export function factOfShown(text: string): string | undefined {
  return SHOWN_FACT.exec(text)?.[1];
}
