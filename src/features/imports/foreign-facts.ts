import { foldedSubject } from "../../db/agent/facts/subject.ts";
import { cutText } from "../../ingest/cut-text.ts";
import { factHash } from "../../ingest/fact-text.ts";
import { MAX_FACT_CHARS } from "../../service/facts/fact-schemas.ts";

interface Told {
  text: string;
  subject?: string | undefined;
  scope?: { user?: string | undefined; agent?: string | undefined; session?: string | undefined } | undefined;
}

/** Returns a key that is equal for facts of one scope and subject with the same text, letter by letter. */
export function factIdentity({ text, subject, scope: { user = "", agent = "", session = "" } = {} }: Told): string {
  return JSON.stringify([factHash(text), user, agent, session, foldedSubject(subject)]);
}

/**
 * Cuts a text into pieces that are short enough for a fact. The same text is always cut the same
 * way.
 */
export function factPieces(text: string): string[] {
  return cutText(text, { chars: MAX_FACT_CHARS, overlap: 0 }).map((piece) => piece.text);
}
