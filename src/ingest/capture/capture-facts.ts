import { CAPTURED_IMPORTANCE, type FactCandidate, MAX_FACT_CHARS } from "./fact-candidate.ts";
import type { LanguageRules } from "./language-rules.ts";
import { type CaptureLanguage, rulesOf } from "./languages.ts";
import { ownWords } from "./own-words.ts";
import { readSentence, type Statement } from "./read-sentence.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";

/** The most candidates of one turn. A turn that states more is a document. */
const MAX_CANDIDATES = 50;
/** Matches two words, or three characters of a script without spaces. */
const WHOLE = /[\p{L}\p{N}]\S* \S*[\p{L}\p{N}]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{3}/u;

/**
 * Finds by rules, without a model, what users say about themselves, what they want, and which
 * decisions they report. It ignores quotations, code, logs and texts to work on; questions and
 * hypotheses; statements and preferences of other people; and statements that refer to something at
 * hand ("I prefer the second one") or apply only once. Linear in the length of the messages.
 *
 * @param messages of one turn, in order; messages of all roles may be included
 * @param languages tried in this order for each sentence, until one finds something
 */
export function captureFacts(
  messages: readonly CaptureMessage[],
  { languages }: { languages: readonly CaptureLanguage[] },
): FactCandidate[] {
  const tables = languages.map(rulesOf);
  const found = new Map<string, FactCandidate>();
  for (const [messageIndex, read] of readableTexts(messages).entries()) {
    if (messages[messageIndex]?.role !== "user") continue;
    for (const statement of readMessage(read, tables)) {
      // Keeps the later of two equal statements.
      found.delete(statement.text.toLowerCase());
      if (found.size === MAX_CANDIDATES) return [...found.values()];
      found.set(statement.text.toLowerCase(), { ...statement, importance: CAPTURED_IMPORTANCE, messageIndex });
    }
  }
  return [...found.values()];
}

function readMessage(text: string, tables: readonly LanguageRules[]): Statement[] {
  const stated: Statement[] = [];
  const mask = ownWords(text, tables);
  // Everything after "suppose that …" is hypothetical, up to the end of the paragraph.
  let supposedUntil = -1;
  for (const sentence of sentencesOf(text, mask)) {
    const start = sentence.places[0] ?? 0;
    if (start < supposedUntil) continue;
    const hinted = tables.filter(({ hints }) => hints.test(sentence.mask));
    if (hinted.some(({ hypothetical }) => hypothetical.test(sentence.mask))) supposedUntil = paragraphEnd(mask, start);
    else
      stated.push(
        ...firstReading(sentence, hinted).filter(({ text }) => text.length <= MAX_FACT_CHARS && WHOLE.test(text)),
      );
  }
  return stated;
}

function firstReading(sentence: Sentence, tables: readonly LanguageRules[]): Statement[] {
  // A shorter sentence states nothing, and trying the rules on a thousand of them is slow.
  if (!WHOLE.test(sentence.text)) return [];
  for (const table of tables) {
    const stated = readSentence(sentence, table);
    if (stated.length > 0) return stated;
  }
  return [];
}

function paragraphEnd(mask: string, from: number): number {
  const end = mask.indexOf("\n\n", from);
  return end < 0 ? mask.length : end;
}
