import { fold } from "../../base/fold.ts";

const RELATION =
  "mother|mom|mum|mam|mama|father|dad|papa|wife|husband|partner|spouse|boss|manager|supervisor|child|kid|son|daughter|brother|sister|uncle|aunt|cousin|nephew|niece|grandmother|grandma|grandfather|grandpa|friend|colleague|neighbour|neighbor|roommate|flatmate|landlord|landlady|doctor|dentist|vet|teacher|plumber|electrician|accountant|lawyer|therapist|hairdresser|babysitter|dog|cat|horse|rabbit|hamster|parrot|puppy|kitten|pet";
/** Matches an owner: "my sister's name", "the name of my dog". */
const OWNER = new RegExp(
  `(?<![\\p{L}\\p{M}])(${RELATION})['’]s\\s+\\p{L}|(?<![\\p{L}\\p{M}])of (?:my|our) (${RELATION})(?![\\p{L}\\p{M}'’])`,
  "giu",
);
/** The words that may name the same relation, by the word of the question. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  ...sameFor(["mother", "mom", "mum", "mam", "mama"]),
  ...sameFor(["father", "dad", "papa"]),
  ...sameFor(["wife", "husband", "partner", "spouse"]),
  ...sameFor(["boss", "manager", "supervisor"]),
  ...sameFor(["child", "kid"]),
  ...sameFor(["dog", "puppy"]),
  ...sameFor(["cat", "kitten"]),
  son: ["son", "child", "kid"],
  daughter: ["daughter", "child", "kid"],
};

function sameFor(words: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(words.map((word) => [word, words]));
}

/**
 * Returns the relations and things whose property an English question asks for, each with other words for it.
 * Names are left out, because a person's own messages do not name him.
 */
export function ownersIn(question: string): string[][] {
  return [...question.matchAll(OWNER)].map(([, before, after]) => {
    const owner = (before ?? after ?? "").toLowerCase();
    return [...(SAME[owner] ?? [owner])];
  });
}

/** Returns whether a text has each of the owners, in the singular or the plural. */
export function hasOwners(text: string, owners: readonly (readonly string[])[]): boolean {
  if (owners.length === 0) return true;
  const words = new Set((fold(text).match(/\p{L}+/gu) ?? []).map((word) => word.replace(/s$/, "")));
  return owners.every((names) => names.some((name) => words.has(name.replace(/s$/, ""))));
}

/** Matches a name with the `'s` of possession before what is owned. */
const NAMED = /(?<![\p{L}\p{M}])(\p{Lu}\p{Ll}[\p{L}\p{M}]*)['’]s(?=\s+\p{Ll})/gu;
/** Words with a capital letter at the beginning of a question: "What's". */
const ASKS = /^(?:what|who|where|when|how|why|which|that|there|here|it|let|he|she)$/iu;

/** Returns the names whose property a question asks for: "Kari" of "What is Kari's phone number?". */
export function ownersNamed(question: string): string[] {
  return [...question.matchAll(NAMED)].flatMap(([, name = ""]) => (ASKS.test(name) ? [] : [name]));
}

const ANY_RELATION = new RegExp(`(?<![\\p{L}\\p{M}])(?:${RELATION})s?(?![\\p{L}\\p{M}])`, "iu");
/** Matches a word with a capital letter behind another word. "I" and its forms are none. */
const NAMES = /(?<=\S\s)\p{Lu}\p{Ll}/u;
/** Matches a question about what the asker does or has, in English. */
const SELF = /(?<![\p{L}\p{M}])(?:(?:do|did|am|was|have|had) I|my \p{L}+)(?![\p{L}\p{M}])/iu;
/** Matches questions about somebody else, and for advice: "who recommended me a restaurant?", "what should I cook?". */
const OF_OTHERS = /^\W*who(?!\p{L})|(?<![\p{L}\p{M}])(?:me|(?:should|can|could|may|shall|would) I)(?![\p{L}\p{M}])/iu;

/** Returns whether an English question is about the asker alone, and names no other person. */
export function asksOfSelf(question: string): boolean {
  if (OF_OTHERS.test(question) || ANY_RELATION.test(question)) return false;
  return SELF.test(question) && !NAMES.test(question);
}
