import { fold } from "../../base/fold.ts";
import { isCommonWord } from "../../relevance/words/question-words.ts";
import { wordsBetweenSpaces } from "../../relevance/words/statements.ts";
import type { SearchedMemory } from "./join-memories.ts";
import type { ShownHit } from "./rank-candidates.ts";

/** Matches an English question. In German, every noun has a capital letter. */
const ENGLISH =
  /^\W*(?:what|who|whose|where|when|why|which|how|do|does|did|is|are|was|were|can|could|has|have)(?:'s)?\s/iu;
/** Matches a word with a capital letter behind another word. */
const NAME = /(?<=[\p{L}\p{N}'’,]\s)\p{Lu}\p{Ll}{2,}[\p{L}\p{M}]*/gu;
/** Matches words that have a capital letter and are no names: months, weekdays, "Mum". */
const NO_NAME =
  /^(?:mum|mom|mam|mama|dad|papa|grandma|grandpa|granny|auntie|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|christmas|easter)$/u;
/** How many letters at the end of a name may differ: "Italians" is of "Italy". */
const ENDING = 2;
const LEAST = 3;

/**
 * Matches a number or a secret word that people have many of, with the words before it that say which: "my passport
 * number". Any phone number has the word "number", so these words decide.
 */
const NUMBER_OF =
  /(?<![\p{L}\p{N}])(?:my|our|the|\p{L}{1,40}['’]s) ((?:\p{L}[\p{L}-]{2,20} ){1,2})(?:numbers?|codes?|passwords?|passcodes?|pin|id|size|combination)(?!\p{L})/iu;
/** Matches words that say which number is meant, and for which texts have other words: "mobile" for "phone". */
const OTHERWISE_SAID =
  /^(?:phone|mobile|cell|telephone|cellphone|landline|contact|e-?mail|home|work|office|wi-?fi|internet|network|new|old|current|full|exact|own|last|first|right|whole|secret|access|zip|post|postal|area|country|model|serial|user|login|online)$/iu;

/** The most names of a question that are looked for. */
const MAX_NAMES = 8;
/** The most texts of a scope that are counted one by one. Of more, a sample tells nothing of a rare name. */
const MAX_COUNTED = 500;

/**
 * Returns whether an English question names only people or things whose names are in no text of the searched memories, or
 * a number of a kind that no text names. "Where does Kim live?" has no certain answer in a memory without a Kim, however near
 * "Ida lives in Trondheim" is, and neither has "What is my passport number?" in a memory with phone numbers alone.
 * Returns false if the counted words are not the words of the texts that the caller may see.
 */
export function asksOfUnknown(
  question: string,
  memories: readonly Pick<SearchedMemory, "request" | "arms" | "found">[],
  shown: readonly ShownHit[],
): boolean {
  if (!ENGLISH.test(question)) return false;
  const named = (question.match(NAME) ?? []).map(fold).filter((name) => !isCommonWord(name) && !NO_NAME.test(name));
  const names = [...new Set(named.length === 0 ? kindOfNumber(question) : named)].slice(0, MAX_NAMES);
  if (names.length === 0 || !memories.every(isCounted)) return false;
  const counted = memories.flatMap(({ found }) => found.measured.counted?.terms ?? []);
  const known = counted.filter(({ df, isPart }) => df > 0 && !isPart).map(({ lexeme }) => lexeme);
  // A user's name is in no text of his own.
  const texts = shown.map(({ hit: { path, text }, chunk: { heading, scope, fact } }) =>
    [path, text, heading, scope?.user, fact?.user, fact?.subject].join(" "),
  );
  const words = fold(wordsBetweenSpaces(texts.join(" ")));
  return names.every((name) => {
    const stem = name.slice(0, Math.max(LEAST, name.length - ENDING));
    return !known.some((lexeme) => lexeme.startsWith(stem)) && !words.includes(` ${stem}`);
  });
}

/** Returns the words that say which number a question asks for; none if texts may say it otherwise. */
function kindOfNumber(question: string): string[] {
  const words = NUMBER_OF.exec(question)?.[1]?.trim().split(" ") ?? [];
  const own = words.map(fold).filter((word) => !isCommonWord(word));
  return own.some((word) => OTHERWISE_SAID.test(word)) ? [] : own;
}

/** Returns whether the words of a memory are counted, and in the texts that the caller may see. */
function isCounted({ request, arms: { visible } }: Pick<SearchedMemory, "request" | "arms">): boolean {
  // A search by meaning alone counts no words.
  if (request.withoutKeyword || !request.agent.settings.query.hybrid.enabled) return false;
  return request.visibleFacts.visibleTo === undefined || (visible !== undefined && visible.length <= MAX_COUNTED);
}
