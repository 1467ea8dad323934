import type { LanguageRules } from "./language-rules.ts";
import { maskBlocks } from "./mask-blocks.ts";
import { maskQuotes } from "./mask-quotes.ts";

/**
 * The message with everything replaced that the speaker only shows: quotations, code, logs, mails, texts to work on. Of the
 * same length as the message, so a place in one is a place in the other. Apostrophes are straight.
 */
export function ownWords(text: string, languages: readonly LanguageRules[]): string {
  return maskQuotes(maskBlocks(text.replaceAll("\r", "\n"), languages)).replaceAll("’", "'");
}
