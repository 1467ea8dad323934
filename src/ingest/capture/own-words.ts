import type { LanguageRules } from "./language-rules.ts";
import { type CaptureLanguage, rulesOf } from "./languages.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";

/**
 * Returns the message with everything masked that is not the speaker's own words: quotations, code,
 * logs, mails, texts to work on. The length stays the same, so positions stay valid. Apostrophes
 * become straight.
 */
export function ownWords(text: string, languages: readonly LanguageRules[]): string {
  return maskQuotes(maskBlocks(text.replaceAll("\r", "\n"), languages)).replaceAll("’", "'");
}

/** Applies `ownWords` to the messages of a turn, in order. Messages of other roles become empty. */
export function ownTexts(messages: readonly CaptureMessage[], languages: readonly CaptureLanguage[]): string[] {
  const tables = languages.map(rulesOf);
  return readableTexts(messages).map((text, index) => (messages[index]?.role === "user" ? ownWords(text, tables) : ""));
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TAG = /^\s{0,20}<([a-z][\w:-]{0,40})/i;
/**
 * Matches quoted mail, logs with a time or level, shell prompts, diffs, stack traces, table rows,
 * JSON.
 */
const NOT_SPOKEN = new RegExp(
  `^(?:${[
    String.raw`\s{0,20}>`,
    String.raw`\s{0,20}\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d[:.]\d\d|\d{1,2}:\d\d)`,
    String.raw`\s{0,20}\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b`,
    String.raw`\s{0,20}(?:\$|%|#!|//|/\*|\*/|--|@@|\+\+\+|\||\{|\}|\]|&&)`,
    String.raw`[+-](?=[^\s\d+-])`,
    String.raw`\s{1,20}at \S{1,200}\s?\(`,
    // Indented code. An indented list item is not code: it counts as the speaker's words.
    String.raw`(?: {4,20}|\t)(?![-*+•]\s|\d{1,3}[.)]\s)\S`,
  ].join("|")})`,
);
/** Matches "Alice:", "Alice Smith:", "@bob:", "user:", but not "One more thing:". */
const LABEL =
  /^\s{0,20}(?:[-*•]\s)?@?\*{0,2}(\p{L}[\p{L}\p{N}._-]{0,30}(?: (?:\p{Lu}|\()[\p{L}\p{N}._()-]{0,30}){0,3})\*{0,2}[:：]/u;

/**
 * Masks whole lines that are not spoken: fences, block quotes, logs, tags, transcripts ("Alice:
 * …"), and everything after a line that hands over a text to work on ("Summarise this mail:"). The
 * length stays the same.
 */
function maskBlocks(text: string, languages: readonly LanguageRules[]): string {
  const lines = text.split("\n");
  const closing = lastClosingTags(lines);
  const masked: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const end = blockEnd(lines, i, closing);
    if (end > i) {
      for (; i < end; i++) masked.push(blank(lines[i] ?? ""));
      i--;
      continue;
    }
    const paste = pasteStart(line, languages);
    if (paste >= 0) {
      masked.push(line.slice(0, paste) + blank(line.slice(paste)), ...lines.slice(i + 1).map(blank));
      break;
    }
    masked.push(isSpoken(line, languages) ? line : blank(line));
  }
  return masked.join("\n");
}

function blank(line: string): string {
  return MASK.repeat(line.length);
}

/**
 * Returns the line after the fence or tag that begins at `at`, or `at` when none begins there. An
 * open fence runs to the end.
 */
function blockEnd(lines: readonly string[], at: number, closing: ReadonlyMap<string, number>): number {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    const end = lines.findIndex((other, index) => index > at && FENCE.exec(other)?.[1]?.startsWith(fence));
    return end < 0 ? lines.length : end + 1;
  }
  const tag = TAG.exec(line)?.[1];
  return tag === undefined ? at : Math.max(at, closing.get(tag.toLowerCase()) ?? at) + 1;
}

/**
 * Returns the last closing line of each tag, so that a thousand open tags do not cause a thousand
 * searches.
 */
function lastClosingTags(lines: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    for (const [, name] of line.matchAll(/<\/([a-z][\w:-]{0,40})/gi)) last.set((name ?? "").toLowerCase(), index);
  }
  return last;
}

/** Returns where a text to work on begins on this line; -1: no text is handed over. */
function pasteStart(line: string, languages: readonly LanguageRules[]): number {
  const starts = languages.flatMap(({ paste }) => {
    const match = paste.exec(line);
    return match ? [match.index + match[0].length] : [];
  });
  return starts.length === 0 ? -1 : Math.min(...starts);
}

function isSpoken(line: string, languages: readonly LanguageRules[]): boolean {
  if (NOT_SPOKEN.test(line)) return false;
  const label = LABEL.exec(line)?.[1];
  return label === undefined || languages.some(({ ownLabel }) => ownLabel.test(label));
}

/**
 * The mask for a character that is not the speaker's own. It is a private-use character, which no
 * pattern matches.
 */
export const MASK = "\uE000";

/** The opening marks whose closing mark is another character. */
const CLOSERS: Readonly<Record<string, string>> = {
  "“": '”"',
  "„": "“”",
  "«": "»",
  "»": "«",
  "‹": "›",
  "「": "」",
  "『": "』",
  "《": "》",
};
const ALNUM = /[\p{L}\p{N}]/u;

/**
 * Masks text in quotation marks or backticks, including the marks. A quotation that is not closed
 * runs to the end of its paragraph: missing a statement is better than keeping somebody else's.
 * Linear, and the length stays the same.
 */
function maskQuotes(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  /** The position up to which no closing mark was found, so that it is not searched for again. */
  const searched = { "'": 0, "`": 0 };
  for (let at = 0; at < text.length; at++) {
    const end = quoteEnd(text, at, searched);
    if (end <= at) continue;
    parts.push(text.slice(kept, at), MASK.repeat(end - at));
    kept = end;
    at = end - 1;
  }
  return parts.join("") + text.slice(kept);
}

/** Returns the end of the quotation that begins at `at`, exclusive; -1 when none begins there. */
function quoteEnd(text: string, at: number, searched: { "'": number; "`": number }): number {
  const mark = text.charAt(at);
  if (mark === '"' || mark === "‘") return opensWord(text, at) ? straightEnd(text, at, mark, "paragraph") : -1;
  if (mark === "'" || mark === "`") {
    if (at < searched[mark] || (mark === "'" && !opensWord(text, at))) return -1;
    const end = straightEnd(text, at, mark, "line");
    if (end < 0) searched[mark] = lineEnd(text, at);
    return end;
  }
  const closers = CLOSERS[mark];
  if (closers === undefined || (mark === "»" && !opensWord(text, at))) return -1;
  return pairedEnd(text, at, mark, closers);
}

/** Returns whether the mark can open a quotation. In `27"` and `don't` it cannot. */
function opensWord(text: string, at: number): boolean {
  return !ALNUM.test(text.charAt(at - 1)) && !/^\s?$/.test(text.charAt(at + 1));
}

function straightEnd(text: string, at: number, mark: string, within: "line" | "paragraph"): number {
  const closer = mark === "‘" ? "’" : mark;
  for (let i = at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\n" && (within === "line" || text.charAt(i + 1) === "\n")) return within === "line" ? -1 : i;
    // A mark before a letter or digit does not close: it is an apostrophe inside a word, or opens
    // another quotation. A mark directly after the opening one does not close either.
    if (char === closer && (mark === "`" || !ALNUM.test(text.charAt(i + 1))) && i > at + 1) return i + 1;
  }
  return within === "line" ? -1 : text.length;
}

function pairedEnd(text: string, at: number, opener: string, closers: string): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === opener) depth++;
    else if (closers.includes(char) && --depth === 0) return i + 1;
    else if (char === "\n" && text.charAt(i + 1) === "\n") return i;
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
