/** Where a quotation stands in a message; `end` exclusive. */
export interface Evidence {
  readonly messageIndex: number;
  readonly range: { readonly start: number; readonly end: number };
}

/** Shorter ones are found anywhere. */
const MIN_CHARS = 4;

/**
 * Looks quotations up in texts, whatever their case, spaces and apostrophes.
 *
 * @param own what `ownTexts` made of the messages: what is masked is no evidence
 */
export function evidenceFinder(own: readonly string[]): (quotation: string) => Evidence | undefined {
  const texts = own.map(plain);
  return (quotation) => {
    const wanted = plain(quotation).text.trim();
    if (wanted.length < MIN_CHARS) return undefined;
    for (const [messageIndex, { text, places }] of texts.entries()) {
      const at = text.indexOf(wanted);
      if (at < 0) continue;
      const start = places[at] ?? 0;
      return { messageIndex, range: { start, end: (places[at + wanted.length - 1] ?? start) + 1 } };
    }
    return undefined;
  };
}

function plain(source: string): { text: string; places: number[] } {
  const places: number[] = [];
  let text = "";
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at);
    const isSpace = /\s/.test(char);
    if (isSpace && (text === "" || text.endsWith(" "))) continue;
    const lower = char.toLowerCase();
    // One for one, or the places would shift.
    text += isSpace ? " " : char === "’" ? "'" : lower.length === 1 ? lower : char;
    places.push(at);
  }
  return { text, places };
}
