import type { LanguageRules } from "./language-rules.ts";
import { type CaptureLanguage, rulesOf } from "./languages.ts";
import { maskBlocks } from "./mask-blocks.ts";
import { maskQuotes } from "./mask-quotes.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";

/**
 * The message with everything replaced that the speaker only shows: quotations, code, logs, mails, texts to work on. Of the
 * same length as the message, so a place in one is a place in the other. Apostrophes are straight.
 */
export function ownWords(text: string, languages: readonly LanguageRules[]): string {
  return maskQuotes(maskBlocks(text.replaceAll("\r", "\n"), languages)).replaceAll("’", "'");
}

/** The same for the messages of a turn, in their order; empty for what others than the user say. */
export function ownTexts(messages: readonly CaptureMessage[], languages: readonly CaptureLanguage[]): string[] {
  const tables = languages.map(rulesOf);
  return readableTexts(messages).map((text, index) => (messages[index]?.role === "user" ? ownWords(text, tables) : ""));
}
