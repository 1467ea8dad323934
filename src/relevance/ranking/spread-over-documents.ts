/** Words that ask for people or things of a kind. Several documents may tell of them. */
const SEVERAL =
  /(?<![\p{L}\p{N}])(?:who|whose|whom|which of|which (?:people|children)|which (?!of|is|was|does|did)\p{L}{1,30}s|what (?:all|kinds?|sorts?) of|what are|how many|list|name|all|every|everyone|everybody|any(?:one|body)|wer|wem|wen|welche[rn]?|wie viele|alle|jeder|qui|quels|quelles|combien|tous|toutes|quién|quiénes|cuáles|cuántos|cuántas|todos|todas|chi|quali|quanti|tutti|quem|quais|quantos|hoeveel|кто|какие|сколько|все)(?![\p{L}\p{N}])|谁|哪些|誰|どの人|누구|누가/iu;

/** Returns whether a question may ask for several people or things: "Who has allergies?" */
export function asksForSeveral(question: string): boolean {
  return SEVERAL.test(question);
}

/** The most hits of a document before hits of others. */
const MOST = 2;
/** The share of a hit's score with which a hit of another document comes before it. */
const LEAST_SHARE = 0.5;

/**
 * Orders hits so that a long document that speaks of one thing again and again leaves room for
 * others: from its third hit on, hits of other documents with at least half of the score come first.
 *
 * @param hits best first
 */
export function spreadOverDocuments<T extends { readonly score: number }>(
  hits: readonly T[],
  documentOf: (hit: T) => string,
): T[] {
  const ordered: T[] = [];
  const waiting: T[] = [];
  const counts = new Map<string, number>();
  for (const hit of hits) {
    while (waiting[0] && LEAST_SHARE * waiting[0].score > hit.score) ordered.push(waiting.shift() as T);
    const document = documentOf(hit);
    const count = (counts.get(document) ?? 0) + 1;
    counts.set(document, count);
    (count > MOST ? waiting : ordered).push(hit);
  }
  return [...ordered, ...waiting];
}
