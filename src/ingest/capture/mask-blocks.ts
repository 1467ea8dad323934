import type { LanguageRules } from "./language-rules.ts";
import { MASK } from "./mask-quotes.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TAG = /^\s{0,20}<([a-z][\w:-]{0,40})/i;
/** Quoted mail, logs with their time or level, prompts of a shell, differences, stack traces, rows of tables, JSON. */
const NOT_SPOKEN = new RegExp(
  `^(?:${[
    String.raw`\s{0,20}>`,
    String.raw`\s{0,20}\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d[:.]\d\d|\d{1,2}:\d\d)`,
    String.raw`\s{0,20}\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b`,
    String.raw`\s{0,20}(?:\$|%|#!|//|/\*|\*/|--|@@|\+\+\+|\||\{|\}|\]|&&)`,
    String.raw`[+-](?=[^\s\d+-])`,
    String.raw`\s{1,20}at \S{1,200}\s?\(`,
    // Code by indentation; a nested list item is spoken.
    String.raw`(?: {4,20}|\t)(?![-*+•]\s|\d{1,3}[.)]\s)\S`,
  ].join("|")})`,
);
/** "Alice:", "Alice Smith:", "@bob:", "user:", but not "One more thing:". */
const LABEL =
  /^\s{0,20}(?:[-*•]\s)?@?\*{0,2}(\p{L}[\p{L}\p{N}._-]{0,30}(?: (?:\p{Lu}|\()[\p{L}\p{N}._()-]{0,30}){0,3})\*{0,2}[:：]/u;

/**
 * Replaces whole lines that are not spoken: fences, block quotes, logs, tags, transcripts ("Alice: …"), and everything after
 * a line that hands over a text to work on ("Summarise this mail:"). The length stays the same.
 */
export function maskBlocks(text: string, languages: readonly LanguageRules[]): string {
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

/** The line after the fence or tag that begins at `at`; `at` when none does. An open fence goes on to the end. */
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

/** By tag the last line that closes it, so that a thousand open tags are not searched for a thousand times. */
function lastClosingTags(lines: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    for (const [, name] of line.matchAll(/<\/([a-z][\w:-]{0,40})/gi)) last.set((name ?? "").toLowerCase(), index);
  }
  return last;
}

/** Where the foreign text begins on this line or after it; -1: nothing is handed over. */
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
