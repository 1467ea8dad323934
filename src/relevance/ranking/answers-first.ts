import { isCertain, type JudgedHit } from "./certainty.ts";

/** A hit as far as this module reads it. */
export interface SpokenHit extends JudgedHit {
  readonly text: string;
  /** The messages around a passage of a conversation; undefined for other texts. */
  readonly around?: readonly unknown[] | undefined;
  /** Whether the passage only asks, or only says that the answer is not known. */
  readonly onlyAsks?: true;
}

/**
 * Moves passages of conversations that only ask behind the certain hits, with the score of the last
 * of them. A client that stores each question and looks for it again would otherwise find the
 * question itself, or "I do not know", before the answer.
 *
 * @param hits best first, each with the messages around it as far as they are shown
 * @param question the question of the search
 * @returns the hits in their new order; those that only ask are marked
 */
export function answersFirst<T extends SpokenHit>(hits: readonly T[], question: string): T[] {
  const asked = wordsOf(question);
  const judged = hits.map((hit) =>
    hit.around && onlyAsks(hit.text, asked) ? { ...hit, onlyAsks: true as const } : hit,
  );
  const last = judged.findLastIndex((hit) => !hit.onlyAsks && isCertain([hit]));
  const certain = judged.slice(0, last + 1);
  const answers = certain.filter((hit) => !hit.onlyAsks);
  const least = answers.at(-1)?.score ?? 0;
  const questions = certain.filter((hit) => hit.onlyAsks).map((hit) => ({ ...hit, score: Math.min(hit.score, least) }));
  return [...answers, ...questions, ...judged.slice(last + 1)];
}

/** Matches the beginning of a message in a transcript. */
const MESSAGE = /^(?=[\p{L}\p{N}][^\n:]{0,60}: )/mu;
const SPEAKER = /^([\p{L}\p{N}][^\n:]{0,60}): /u;
/** Matches the end of a sentence: a mark before white space, or an end of a line. */
const BORDER = /(?<=[.!?;。！？；])\s+|\n+|(?<=[。！？；])/u;
const ASKS = /[?？؟][^\p{L}\p{N}]*$/u;
/** Matches an English question that is typed without its mark: "what do we pay for rent". */
const ASKS_UNMARKED =
  /^(?:what|who|whom|whose|where|when|why|which|how)(?:['’]s|(?: (?!(?:I|we|you|he|she|it|they)(?!\p{L}))\p{L}+){0,2} (?:is|are|was|were|do|does|did|can|could|will|would|should|has|have))(?!\p{L})[^.!;:,]*$/iu;
/** The most words of a sentence that says nothing by itself: "Sorry." */
const MOST_OF_NOTHING = 2;

/** Words by which an assistant says that it has no answer. */
const UNKNOWN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "(?:do|does|did|could|can|am|was)(?: not|n['’]t) (?:\\S+ ){0,2}(?:know|find|able|have|remember|recall|see|sure|aware)",
    "cannot (?:find|see|recall)|can['’]t (?:find|see|recall)|unable to|nothing (?:about|was found|in)",
    "no (?:record|information|info|memory|memories|notes?|mention|answer|results?|idea)",
    "weiß (?:\\S+ ){0,3}nicht|(?:finde|gefunden) (?:\\S+ ){0,3}nichts|nichts (?:\\S+ ){0,3}gefunden",
    "keine? (?:Informationen?|Angaben?|Notiz(?:en)?|Erinnerung(?:en)?|Antwort|Ahnung)",
    "ne (?:\\S+ )?(?:sais|trouve|connais) pas|rien trouvé|aucune? (?:information|note|souvenir|réponse)",
    "no (?:lo )?sé|no (?:he )?encontr\\p{L}+|ning(?:ún|una) (?:información|nota|recuerdo)",
  ].join("|")})(?![\\p{L}\\p{N}])`,
  "iu",
);

/**
 * Returns whether a passage of a conversation has nothing but questions, and answers of the assistant
 * that say that it does not know.
 */
function onlyAsks(text: string, asked: string): boolean {
  return text.split(MESSAGE).every((message) => {
    const speaker = SPEAKER.exec(message)?.[1];
    return message
      .replace(SPEAKER, "")
      .split(BORDER)
      .every((sentence) => asks(sentence, asked) || (speaker === "assistant" && saysNothing(sentence, asked)));
  });
}

function asks(sentence: string, asked: string): boolean {
  const words = wordsOf(sentence);
  return words === "" || words === asked || ASKS.test(sentence) || ASKS_UNMARKED.test(sentence);
}

function saysNothing(sentence: string, asked: string): boolean {
  const words = wordsOf(sentence).split(" ");
  if (words.length <= MOST_OF_NOTHING) return true;
  // A number that the question does not have may be the answer: "I am not sure, but about 980".
  const tells = words.some((word) => /^\p{N}/u.test(word) && !asked.split(" ").includes(word));
  return !tells && UNKNOWN.test(sentence);
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}
