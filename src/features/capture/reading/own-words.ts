import { lastClosingTags, type MachineSpan, machineSpans, replaceSpans } from "../../../ingest/machine-text.ts";
import { isNotToKeep } from "./not-to-keep.ts";
import { pattern } from "./pattern.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";
import { requested } from "./requests.ts";

/**
 * Returns the message with everything masked that is not the speaker's own words: quotations, code,
 * logs, mails, texts to work on, envelopes of channels, texts of programs. The length stays the same,
 * so positions stay valid. Apostrophes become straight, and signs of emphasis become `EMPHASIS`.
 */
export function ownWords(text: string): string {
  if (isNotToKeep(text)) return blank(text);
  const plain = text.replaceAll("\r", "\n");
  const spans = machineSpans(plain, { isSpoken: true, isCautious: true });
  const begin = beginOfSpeech(plain, spans);
  if (begin > 0 && isNotToKeep(plain.slice(begin))) return blank(text);
  const masked = maskQuotes(maskBlocks(replaceSpans(plain, spans, blank).slice(begin))).replaceAll("’", "'");
  return (
    plain.slice(0, begin).replace(/[^\n]/g, EMPHASIS) +
    masked.replace(EMPHASISED, (signs) => EMPHASIS.repeat(signs.length))
  );
}

/** Returns the end of the machine text at the beginning of a message. */
function beginOfSpeech(text: string, spans: readonly MachineSpan[]): number {
  let begin = 0;
  for (const { start, end } of spans) if (text.slice(begin, start).trim() === "") begin = end;
  return begin;
}

/** Applies `ownWords` to the messages of a turn, in order. Messages of other roles become empty. */
export function ownTexts(messages: readonly CaptureMessage[]): string[] {
  return readableTexts(messages).map((text, index) => (messages[index]?.role === "user" ? ownWords(text) : ""));
}

/** Stands for a sign of emphasis, or of an envelope. Sentences are cut as if it were not there. */
export const EMPHASIS = "\u2060";
/** Matches text that is struck out, and asterisks and underscores at the edge of a word, but not "2 * 3" and "snake_case". */
const EMPHASISED =
  /~~[^~\n]{1,500}~~|\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}|(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TAG = /^\s{0,20}<([a-z][\w:-]{0,40})/i;
/**
 * Matches quoted mail, logs with a time or level, pasted chats with a date, shell prompts, diffs,
 * stack traces, table rows, JSON, songs.
 */
const NOT_SPOKEN = new RegExp(
  `^(?:${[
    String.raw`\s{0,20}>`,
    String.raw`\s{0,20}\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? \d|\d{1,2}[:.]\d\d[:.]\d\d|\d{1,2}:\d\d)`,
    String.raw`\s{0,20}\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b`,
    String.raw`\s{0,20}(?:\$|%|#!|//|/\*|\*/|--|@@|\+\+\+|\||\{|\}|\]|&&|[♪♫🎵🎶])`,
    String.raw`[+-](?=[^\s\d+-])`,
    String.raw`\s{1,20}at \S{1,200}\s?\(`,
    // Indented code. An indented list item is not code: it counts as the speaker's words.
    String.raw`(?: {4,20}|\t)(?![-*+•]\s|\d{1,3}[.)]\s)\S`,
  ].join("|")})`,
  "u",
);
/** Matches "Alice:", "Alice Smith:", "@bob:", "user:", but not "One more thing:" and "at 16:15". */
const LABEL =
  /^\s{0,20}(?:[-*•]\s)?@?\*{0,2}(\p{L}[\p{L}\p{N}._-]{0,30}(?: (?:\p{Lu}|\()[\p{L}\p{N}._()-]{0,30}){0,3})\*{0,2}[:：](?!\d)/u;
/** Matches labels that are not a speaker's name. */
const OWN_LABEL = pattern`^(?:remember|note|notes|reminder|fyi|btw|ps|p\.s|important|update|also|please|correction|edit|rules?|preferences?|decision|summary|ok|okay|thanks|sorry|again|actually|first|second|third|finally|convention|facts?|memo|tldr|info|me|my|hint|tip|yes|no|hi|hello|hey|so|and|but|anyway|oh|well|news|policy|unrelated|(?:home |new |postal |e-?mail )?address|phone|e-?mail|new rule|about me|diet|food|allerg(?:y|ies)|health|job|work|home|family|hobb(?:y|ies)|languages?|location)\b`;
/** Matches the head of a message in a copied chat: "Ana Lima, [28.11.2026 09:15]", "Per  9:15 AM". */
const CHAT_HEAD =
  /^\s{0,20}@?\p{Lu}[\p{L}.'-]{0,30}(?: \p{Lu}[\p{L}.'-]{0,30}){0,3}(?:,? ?\[[^\]\n]{0,30}\d{1,2}:\d\d[^\]\n]{0,20}\]|,? {1,10}(?:(?:[Tt]oday|[Yy]esterday) at )?\d{1,2}:\d\d(?: ?[AaPp][Mm])?):?\s*$/u;
/** Matches the line after which everything is another's mail. */
const FORWARDED =
  /^[\s*_-]{0,20}(?:begin forwarded message|-*\s{0,3}(?:forwarded|original) message|fwd?:|fw:|on .{5,80} wrote:|(?:from|von|de): .{0,120}(?:@|<).{0,80}$)/iu;
/** Matches two lines of a mail's head, in the languages of common mail programs. */
const MAIL_FROM = /^[\s*_-]{0,20}(?:from|von|de|da|van|från|fra|od|от)\*{0,2}: ?\S/iu;
const MAIL_HEAD =
  /^[\s*_-]{0,20}(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|objet|à|enviado|asunto|para|inviato|oggetto|a|verzonden|onderwerp|aan|skickat|ämne|till|отправлено|тема|кому)\*{0,2}: ?\S/iu;
/** Matches the first line of a letter, and the line before the name at its end. */
const SALUTATION = /^\s{0,20}dear\b[^\n]{1,60}[,:]\s*$/iu;
const SIGN_OFF =
  /^\s{0,20}(?:(?:kind|best|warm) (?:regards|wishes)|regards|sincerely|yours (?:sincerely|faithfully|truly)|(?:sincerely )?yours|with (?:kind|best) (?:regards|wishes))\s?[,.]?\s*$/iu;
const TEXTS = `(?:e-?mails?|mails?|messages?|logs?|errors?|outputs?|transcripts?|texts?|articles?|paragraphs?|sentences?|snippets?|code|stor(?:y|ies)|poems?|reviews?|tickets?|issues?|reports?|prompts?|letters?|posts?|comments?|files?|stack ?traces?|documents?|docs?|chats?|conversations?|quotes?|lyrics|songs?|verses?|tweets?|feedback|complaints?|voice ?mails?|bios?|profiles?|listings?|ads?|captions?)`;
const WORKS = `(?:translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|correct|edit|review|analy[sz]e|explain|classify|parse|convert|format|shorten|improve|polish|spell-?check|fix)`;
const RULES = String.raw`\b(?:rules?|preferences?|conventions?|guidelines?|facts?)\b`;
/** Matches the place from which the message is a text that somebody else may have written. */
const PASTE = pattern`
  \b(?:
  (?:this|that|the|these|following|an?|another|his|her|their|\p{L}+'s)\b(?![^:]{0,60}${RULES})[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:\s*$
  |(?:this|that|the|an?|another|his|her|their|\p{L}+'s) (?:\p{L}+ ){0,2}(?:songs?|lyrics|poems?|verses?|letters?|e-?mails?|mails?|messages?|tickets?|complaints?|voice ?mails?|profiles?|bios?|tweets?|posts?|reviews?|comments?|quotes?)\b[^.!?:]{0,60}:(?=\s)
  |${TEXTS} (?:from|by|of|for)\b[^.!?:]{0,60}:(?=\s|$)
  |(?:notes?|request|reply|answer|question|sms|dm)s? (?:from|by)\b[^.!?:]{0,60}:(?=\s|$)
  |${WORKS}\b(?! that rule)[^.!?:]{0,100}:
  |(?:here(?:'s| is| are| was)|this is|these are|see|look at|looking at|below (?:is|are)|attached|got|getting|paste[ds]?|from|in (?:this|that|the|these|those|his|her|their|an?)|following|read|consider|given)\b(?![^:]{0,60}${RULES})[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:
  |${WORKS}\b[^.!?:]{0,40}\b(?:this|the following|below)\b[^.:]{0,40}[.!?]?$
  |(?:write|draft|compose|create|generate|continue|finish|complete)\b[^.!?:]{0,60}\b(?:${TEXTS}|scene|dialogue?|script|speech|essay|persona|monologue|blog|reply|answer)\b[^.!?:]{0,100}[:.]
  |^(?:song )?(?:lyrics|verse|chorus|poem|quote|transcript|script|dialogu?e|excerpt|letter|ticket|voice ?mail|article|review|bio|user story|draft|template|sample|example)s? ?\d{0,2}:
  |(?<!\bI |\bI've |\bwe |\bI just |\bI already |\balso )(?:wrote|writes|said|says|replied|texted|messaged|posted)(?: (?:me|us|back|this|that|today|yesterday|earlier|in|on \p{L}+)){0,4}\s?[-–—:]?\s*$
  |(?<!\bI |\bI've |\bwe |\bI just |\bI already |\balso )(?:wrote|writes?|says?|said|repl(?:y|ies|ied)|answer(?:s|ed)|reads|asked|asks|texted|posted|messaged|tweeted|sings?|sang|goes|went|tells me|told (?:me|us)|quote|quoting|according to [^:]{1,40})\b[^.!?:]{0,30}:(?=\s|$))
`;

/**
 * Masks whole lines that are not spoken: fences, block quotes, logs, tags, transcripts ("Alice:
 * …"), and everything after a line that hands over a text ("Summarise this
 * mail:", "Per writes:"). The length stays the same.
 */
function maskBlocks(text: string): string {
  const lines = text.split("\n");
  const closing = closingLines(lines);
  const masked: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const end = blockEnd(lines, i, closing);
    if (end > i) {
      for (; i < end; i++) masked.push(blank(lines[i] ?? ""));
      i--;
      continue;
    }
    const paste = FORWARDED.test(line) || isMailHead(line, lines[i + 1]) ? 0 : pasteStart(line);
    if (paste >= 0) {
      masked.push(line.slice(0, paste) + blank(line.slice(paste)), ...lines.slice(i + 1).map(blank));
      break;
    }
    masked.push(isSpoken(line) ? line : blank(line));
  }
  return masked.join("\n");
}

function blank(text: string): string {
  return text.replace(/[^\n]/gu, (char) => MASK.repeat(char.length));
}

/**
 * Returns the line after the fence, tag, letter or copied message that begins at `at`, or `at` when none
 * begins there. An open fence runs to the end.
 */
function blockEnd(lines: readonly string[], at: number, closing: ReadonlyMap<string, number>): number {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    const end = lines.findIndex((other, index) => index > at && FENCE.exec(other)?.[1]?.startsWith(fence));
    return end < 0 ? lines.length : end + 1;
  }
  // A message stands below its head. "Standup 10:00" alone is no head.
  if (CHAT_HEAD.test(line) && /\S/u.test(lines[at + 1] ?? "")) {
    const end = lines.findIndex((other, index) => index > at && /^\s*$/.test(other));
    return end < 0 ? lines.length : end;
  }
  if (SALUTATION.test(line) && (closing.get("dear") ?? at) > at)
    return 2 + lines.findIndex((other, index) => index > at && SIGN_OFF.test(other));
  const tag = TAG.exec(line)?.[1];
  return tag === undefined ? at : Math.max(at, closing.get(tag.toLowerCase()) ?? at) + 1;
}

/**
 * Returns the last closing line of each tag, and of a letter, so that a thousand open tags do not cause
 * a thousand searches.
 */
function closingLines(lines: readonly string[]): Map<string, number> {
  const last = lastClosingTags(lines);
  for (const [index, line] of lines.entries()) if (SIGN_OFF.test(line)) last.set("dear", index);
  return last;
}

function isMailHead(line: string, next = ""): boolean {
  return MAIL_FROM.test(line) && MAIL_HEAD.test(next);
}

/** Returns where a text of somebody else begins on this line; -1: no text is handed over. */
function pasteStart(line: string): number {
  const match = PASTE.exec(line);
  return match ? match.index + match[0].length : -1;
}

function isSpoken(line: string): boolean {
  if (NOT_SPOKEN.test(line)) return false;
  const label = LABEL.exec(line)?.[1];
  return label === undefined || OWN_LABEL.test(label) || requested(line) !== undefined;
}

/**
 * The mask for a character that is not the speaker's own. It is a private-use character, which no
 * pattern matches.
 */
export const MASK = "\uE000";

/**
 * Matches a text in quotation marks or backticks. A mark inside a word neither opens nor closes one. A
 * quotation that is not closed runs to the end of its paragraph: missing a statement is better than
 * keeping somebody else's. Single quotes and backticks must close within the line.
 */
const QUOTED =
  /[“„«‹「『《](?:[^”“»›」』》\n]|\n(?!\n))*[”“»›」』》"]?|(?<![\p{L}\p{N}])(?:"(?=[^\s"])(?:[^"\n]|"(?=[\p{L}\p{N}])|\n(?!\n))*"?|»(?=\S)(?:[^«\n]|\n(?!\n))*«?|‘(?=\S)(?:[^’\n]|’(?=[\p{L}\p{N}])|\n(?!\n))*’?|'(?=\S)(?:[^'\n]|'(?=[\p{L}\p{N}])){1,500}'(?![\p{L}\p{N}]))|`[^`\n]{1,500}`/gu;

/** Masks quotations, including their marks. */
function maskQuotes(text: string): string {
  return text.replace(QUOTED, blank);
}

/** The patterns of this file that are slow to compile. */
export const OWN_WORDS_PATTERNS: readonly RegExp[] = [NOT_SPOKEN, LABEL, OWN_LABEL, CHAT_HEAD, FORWARDED, PASTE];
