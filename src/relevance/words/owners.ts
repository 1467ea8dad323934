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
