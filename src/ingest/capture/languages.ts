import type { LanguageRules } from "./language-rules.ts";
import { CHINESE } from "./languages/chinese.ts";
import { ENGLISH } from "./languages/english.ts";
import { FRENCH } from "./languages/french.ts";
import { GERMAN } from "./languages/german.ts";
import { JAPANESE } from "./languages/japanese.ts";
import { SPANISH } from "./languages/spanish.ts";

/** The languages that have rules. */
export const CAPTURE_LANGUAGES = ["en", "de", "fr", "es", "ja", "zh"] as const;

export type CaptureLanguage = (typeof CAPTURE_LANGUAGES)[number];

const TABLES: Readonly<Record<CaptureLanguage, LanguageRules>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  ja: JAPANESE,
  zh: CHINESE,
};

export function rulesOf(language: CaptureLanguage): LanguageRules {
  return TABLES[language];
}
