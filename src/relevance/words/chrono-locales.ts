import type { Chrono, Parser } from "chrono-node";
import { yieldToLoop } from "../../base/yield-to-loop.ts";

/** A locale's module; `casual` also reads informal dates such as "yesterday". */
interface Locale {
  readonly casual: Chrono;
}

/** Loads the locales of chrono-node; each takes some milliseconds and is loaded at its first use. */
const LOADERS: Readonly<Record<string, () => Promise<Locale>>> = {
  en: () => import("chrono-node/en"),
  de: () => import("chrono-node/de"),
  fr: () => import("chrono-node/fr"),
  es: () => import("chrono-node/es"),
  it: () => import("chrono-node/it"),
  pt: () => import("chrono-node/pt"),
  nl: () => import("chrono-node/nl"),
  sv: () => import("chrono-node/sv"),
  fi: () => import("chrono-node/fi"),
  id: () => import("chrono-node/id"),
  vi: () => import("chrono-node/vi"),
  ja: () => import("chrono-node/ja"),
  zh: async () => (await import("chrono-node/zh")).hans,
  "zh-Hant": async () => (await import("chrono-node/zh")).hant,
  ru: () => import("chrono-node/ru"),
  uk: () => import("chrono-node/uk"),
  ar: () => import("chrono-node/ar"),
};

/** Parsers of times of the day, which are no dates; their patterns are the slowest to compile. */
const TIMES = /TimeExpression|CasualTime|SpecificTime/;
/** A text with a number, a month and a unit, at which every pattern begins to match. */
const SAMPLE = "from 3 to 5 May last Monday in 2 weeks 3 Tagen 5 дней назад 5月3日";

const loaded = new Map<string, Promise<Chrono | undefined>>();

/**
 * Returns the reader of dates for a language; undefined if chrono-node has none. The engine
 * compiles each parser's pattern when it is first used and again when it is used a second time,
 * up to 20 ms each, so others run between two parsers.
 */
export function chronoOf(language: string): Promise<Chrono | undefined> | undefined {
  const known = loaded.get(language);
  const load = LOADERS[language];
  if (known || !load) return known;
  // A question whose dates cannot be read is answered without them, and the next one tries again.
  const loading = warmed(load).catch(() => {
    loaded.delete(language);
    return undefined;
  });
  loaded.set(language, loading);
  return loading;
}

async function warmed(load: () => Promise<Locale>): Promise<Chrono> {
  const { casual } = await load();
  const parsers = casual.parsers.filter((parser) => !TIMES.test(parser.constructor.name));
  for (const parser of parsers) await warm(casual, parser);
  const reader = casual.clone();
  reader.parsers = parsers;
  return reader;
}

async function warm(casual: Chrono, parser: Parser): Promise<void> {
  const one = casual.clone();
  one.parsers = [parser];
  one.refiners = [];
  for (let time = 0; time < 2; time++) {
    one.parse(SAMPLE, { instant: new Date(0), timezone: 0 });
    await yieldToLoop();
  }
}
