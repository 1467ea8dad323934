/**
 * Languages that write what English writes as two words as one: the tyre for the winter is a `Winterreifen`, and whoever
 * asks for `Reifen` means it. Named as Postgres names their configurations.
 */
const COMPOUNDING = new Set(["german", "dutch", "danish", "norwegian", "swedish", "finnish", "hungarian"]);

/** Shorter stems begin and end too many words that have nothing to do with them. */
const MIN_PART = 4;
/** What is left of a shorter word beside a part is no word. */
const MIN_COMPOUND = 7;
/** Begins no other lexeme. */
const MARK = "~";

export function joinsWords(language: string): boolean {
  return COMPOUNDING.has(language);
}

/** Whether the language that an expression names is one of these. */
export function joinsWordsSql(language: string): string {
  return `${language} IN (${[...COMPOUNDING].map((one) => `'${one}'`).join(", ")})`;
}

/**
 * A tsvector expression: what a document's words are found by from their end, each long stem backwards, so that a prefix
 * match finds the last part of a compound. Without positions: it does not make the document longer. NULL when there is none.
 *
 * @param words an expression, the words' tsvector
 */
export function reversedStemsSql(words: string): string {
  return `(SELECT array_to_tsvector(array_agg('${MARK}' || reverse(w.lexeme))) FROM unnest(${words}) AS w
            WHERE length(w.lexeme) >= ${MIN_COMPOUND} AND w.lexeme !~ '[0-9]')`;
}

/**
 * A FROM item with the columns `lexeme` and `prefix`: the stem itself, and, when it is long enough to be part of a compound, as
 * its beginning and as its end.
 *
 * @param stem an expression
 * @param joins an expression: whether it is a stem of a language that joins words
 */
export function spellingsSql(stem: string, joins: string): string {
  const isPart = `${joins} AND length(${stem}) >= ${MIN_PART} AND ${stem} !~ '[0-9]'`;
  return `(SELECT ${stem} AS lexeme, false AS prefix
           UNION ALL SELECT ${stem}, true WHERE ${isPart}
           UNION ALL SELECT '${MARK}' || reverse(${stem}), true WHERE ${isPart})`;
}
