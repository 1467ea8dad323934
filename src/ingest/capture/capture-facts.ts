import { HYPOTHETICAL, REMEMBER_ALONE, RULES_AHEAD, TAKEN_BACK, TAKES_BACK } from "./english.ts";
import { CAPTURED_IMPORTANCE, type FactCandidate, MAX_FACT_CHARS } from "./fact-candidate.ts";
import { ownWords } from "./own-words.ts";
import { partOf, readSentence, type Statement, withoutLeadIns } from "./read-sentence.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";

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
 * @returns the statements in the order of the messages, the newest 250; of two equal ones in a message
 *   only the later
 */
export function captureFacts(messages: readonly CaptureMessage[]): FactCandidate[] {
  const found: FactCandidate[] = [];
  for (const [messageIndex, read] of readableTexts(messages).entries()) {
    const message = messages[messageIndex];
    if (message?.role !== "user") continue;
    const subject = message.name === undefined ? {} : { subject: message.name };
    for (const statement of readStatements(read))
      found.push({ ...statement, ...subject, importance: CAPTURED_IMPORTANCE, messageIndex });
  }
  return found.slice(-MAX_OF_ALL);
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
  const stated = new Set<Statement>();
  const mask = ownWords(text);
  // Everything after "suppose that …" is hypothetical, up to the end of the paragraph.
  let supposedUntil = -1;
  /** The end of the list of rules that a line announced. */
  let rulesUntil = -1;
  const sentences = sentencesOf(text, mask);
  /** The statements of the sentence before. */
  let last: Statement[] = [];
  for (const [at, sentence] of sentences.entries()) {
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
    const isAsked = REMEMBER_ALONE.test(sentences[at + 1]?.mask.trim() ?? "");
    const { kept, withdrawn } = readStanding(sentence, last, { isRule, isAsked });
    for (const one of withdrawn) stated.delete(one);
    last = kept.filter(isWorthKeeping);
    for (const one of last) stated.add(one);
  }
  return [...stated];
}

/**
 * Returns the statements of a sentence without those that it takes back itself: "I live in Rome, just
 * kidding".
 *
 * @param last the statements of the sentence before
 * @returns `withdrawn`: those of `last` that the beginning of the sentence takes back
 */
function readStanding(
  sentence: Sentence,
  last: readonly Statement[],
  how: { isRule: boolean; isAsked: boolean },
): { kept: Statement[]; withdrawn: readonly Statement[] } {
  const { mask } = sentence;
  const { start } = withoutLeadIns(mask, { start: 0, end: mask.length });
  const first = TAKES_BACK.exec(mask.slice(start));
  if (first) {
    const { kept } = readStanding(restOf(sentence, start + first[0].length), [], how);
    return { kept, withdrawn: first.groups?.drops === undefined ? last : last.slice(-1) };
  }
  const back = TAKEN_BACK.exec(mask);
  if (!back) return { kept: readSentence(sentence, how), withdrawn: [] };
  const rest = readStanding(restOf(sentence, back.index + back[0].length), [], how);
  if (back.groups?.drops === undefined) return rest;
  const before = readSentence(partOf(sentence, 0, back.index), how);
  const end = sentence.places[back.index - 1] ?? 0;
  return { kept: [...before.filter((one) => one.range.end < end), ...rest.kept], withdrawn: [] };
}

function isWorthKeeping({ text }: Statement): boolean {
  return text.length <= MAX_FACT_CHARS && WHOLE.test(text);
}

/** Returns what stands behind the words that take something back. */
function restOf(sentence: Sentence, from: number): Sentence {
  return partOf(sentence, from + (/^[\s,.;:!)…–—-]+/u.exec(sentence.mask.slice(from))?.[0].length ?? 0));
}

function paragraphEnd(mask: string, from: number): number {
  const end = mask.indexOf("\n\n", from);
  return end < 0 ? mask.length : end;
}
