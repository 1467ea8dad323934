import { HYPOTHETICAL, RULES_AHEAD } from "./english.ts";
import { CAPTURED_IMPORTANCE, type FactCandidate, MAX_FACT_CHARS } from "./fact-candidate.ts";
import { ownWords } from "./own-words.ts";
import { readSentence, type Statement } from "./read-sentence.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";
import { sentencesOf } from "./sentences.ts";

/** The most candidates of one message. A message that states more is a document. */
const MAX_CANDIDATES = 50;
/** The most candidates of all messages that are read together. */
const MAX_OF_ALL = 250;
/** Matches two words, or three characters of a script without spaces. */
const WHOLE = /[\p{L}\p{N}]\S* \S*[\p{L}\p{N}]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]{3}/u;
const ITEM = /^\s*(?:[-*•+–]|\d{1,3}[.)])\s/u;

/**
 * Finds by rules, without a model, what users say about themselves, what they want, and which
 * decisions they report. The rules are for English; in other languages only explicit requests to
 * remember something are read. It ignores quotations, code, logs and texts to work on; questions
 * and hypotheses; statements and preferences of other people; and statements that refer to
 * something at hand ("I prefer the second one") or apply only once. Linear in the length of the
 * messages.
 *
 * @param messages in order; messages of all roles may be included
 * @returns the statements in the order of the messages; of two equal ones in a message only the later
 */
export function captureFacts(messages: readonly CaptureMessage[]): FactCandidate[] {
  const found: FactCandidate[] = [];
  for (const [messageIndex, read] of readableTexts(messages).entries()) {
    const message = messages[messageIndex];
    if (message?.role !== "user") continue;
    const subject = message.name === undefined ? {} : { subject: message.name };
    for (const statement of readStatements(read))
      found.push({ ...statement, ...subject, importance: CAPTURED_IMPORTANCE, messageIndex });
    if (found.length >= MAX_OF_ALL) return found.slice(0, MAX_OF_ALL);
  }
  return found;
}

function readStatements(text: string): Statement[] {
  const found = new Map<string, Statement>();
  for (const statement of readMessage(text)) {
    const same = statement.text.toLowerCase();
    found.delete(same);
    if (found.size === MAX_CANDIDATES) break;
    found.set(same, statement);
  }
  return [...found.values()];
}

function readMessage(text: string): Statement[] {
  const stated: Statement[] = [];
  const mask = ownWords(text);
  // Everything after "suppose that …" is hypothetical, up to the end of the paragraph.
  let supposedUntil = -1;
  /** The end of the list of rules that a line announced. */
  let rulesUntil = -1;
  for (const sentence of sentencesOf(text, mask)) {
    const start = sentence.places[0] ?? 0;
    if (start < supposedUntil) continue;
    if (HYPOTHETICAL.test(sentence.mask)) {
      supposedUntil = paragraphEnd(mask, start);
      continue;
    }
    if (RULES_AHEAD.test(sentence.mask.trim())) rulesUntil = paragraphEnd(mask, start);
    // A shorter sentence states nothing, and trying the rules on a thousand of them is slow.
    if (!WHOLE.test(sentence.text)) continue;
    const isRule = start < rulesUntil && ITEM.test(mask.slice(mask.lastIndexOf("\n", start - 1) + 1, start + 3));
    for (const one of readSentence(sentence, isRule))
      if (one.text.length <= MAX_FACT_CHARS && WHOLE.test(one.text)) stated.push(one);
  }
  return stated;
}

function paragraphEnd(mask: string, from: number): number {
  const end = mask.indexOf("\n\n", from);
  return end < 0 ? mask.length : end;
}
