import { MAX_RESULTS } from "../core/scalar-schemas.ts";

/** The most characters of a question that a search uses. */
const MAX_QUERY_CHARS = 8_192;

interface Cut<Input> {
  input: Input;
  /** Says that the request was for more hits than a search returns. */
  warning: string | undefined;
  /** Says that the question was cut. */
  note: string | undefined;
}

/**
 * Cuts a request to the limits of a search. A long question keeps its beginning and its end, because
 * people put a question before or after the text that it is about.
 */
export function cutRequest<Input extends { query: string; maxResults?: number | undefined }>(input: Input): Cut<Input> {
  const { query, maxResults = 0 } = input;
  const isLong = query.length > MAX_QUERY_CHARS;
  const isMany = maxResults > MAX_RESULTS;
  return {
    input: {
      ...input,
      ...(isLong ? { query: withoutMiddle(query) } : {}),
      ...(isMany ? { maxResults: MAX_RESULTS } : {}),
    },
    warning: isMany ? `maxResults was cut to ${MAX_RESULTS}, the most hits that a search returns.` : undefined,
    note: isLong
      ? `The query was cut: of its ${query.length} characters the first and last ${MAX_QUERY_CHARS / 2} were searched for.`
      : undefined,
  };
}

function withoutMiddle(query: string): string {
  const half = MAX_QUERY_CHARS / 2;
  // A word that is cut in two is left out, unless the text has no spaces.
  const begins = query.slice(0, half).replace(/(?<=\s)\S{1,100}$/u, "");
  const ends = query.slice(-half).replace(/^\S{1,100}(?=\s)/u, "");
  return `${begins.trimEnd()} ${ends.trimStart()}`.toWellFormed().slice(0, MAX_QUERY_CHARS);
}

/** Joins sentences about an answer into one field. */
export function joinSaid(name: "warning" | "note", said: readonly (string | undefined)[]): Record<string, string> {
  const all = said.filter(Boolean).join(" ");
  return all ? { [name]: all } : {};
}
