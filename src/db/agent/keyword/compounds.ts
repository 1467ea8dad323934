/**
 * Languages that write a compound as one word where English writes two: German for "winter tyre" is
 * `Winterreifen`, and a search for `Reifen` should find it. The names are the names of Postgres'
 * configurations.
 */
const COMPOUNDING = new Set(["german", "dutch", "danish", "norwegian", "swedish", "finnish", "hungarian"]);

/**
 * The shortest stem that is treated as part of a compound. Shorter stems begin and end too many
 * unrelated words.
 */
const MIN_PART = 4;
/**
 * The shortest word that is treated as a compound. In a shorter word, the rest beside a part is no
 * word.
 */
const MIN_COMPOUND = 7;
/** The prefix of reversed stems. No other lexeme begins with it. */
const MARK = "~";

export function joinsWords(language: string): boolean {
  return COMPOUNDING.has(language);
}

/** Returns SQL for whether the language in an expression joins words. */
export function joinsWordsSql(language: string): string {
  return `${language} IN (${[...COMPOUNDING].map((one) => `'${one}'`).join(", ")})`;
}

/**
 * Returns a tsvector expression that lets a search find a document's words from their end: each
 * long stem backwards, so that a prefix match finds the last part of a compound. The lexemes have
 * no positions, so they do not add to the document's length. NULL when no stem is long enough.
 *
 * @param words an expression for the tsvector of the words
 */
export function reversedStemsSql(words: string): string {
  return `(SELECT array_to_tsvector(array_agg('${MARK}' || reverse(w.lexeme)))
             FROM unnest(${words}) AS w
            WHERE length(w.lexeme) >= ${MIN_COMPOUND}
              AND w.lexeme !~ '[0-9]')`;
}

/**
 * Returns a FROM item with the columns `lexeme` and `prefix`: the stem itself and, if it is long
 * enough to be part of a compound, the stem as the beginning and as the end of a word.
 *
 * @param stem an expression
 * @param joins an expression for whether the stem is of a language that joins words
 */
export function spellingsSql(stem: string, joins: string): string {
  const isPart = `${joins} AND length(${stem}) >= ${MIN_PART} AND ${stem} !~ '[0-9]'`;
  return `(SELECT ${stem} AS lexeme, false AS prefix
           UNION ALL SELECT ${stem}, true WHERE ${isPart}
           UNION ALL SELECT '${MARK}' || reverse(${stem}), true WHERE ${isPart})`;
}
