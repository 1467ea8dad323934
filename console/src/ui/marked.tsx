import { highlight } from "../lib/highlight.ts";

/** Shows a text with the words of a query marked. */
export function Marked({ text, query }: { text: string; query: string }) {
  let at = 0;
  return highlight(text, query).map(({ text: part, marked }) => {
    const key = at;
    at += part.length;
    return marked ? <mark key={key}>{part}</mark> : <span key={key}>{part}</span>;
  });
}
