import { fold } from "../../base/fold.ts";

/** Matches an owner: "my sister's name", "the name of my dog". */
const OWNER =
  /(?<![\p{L}\p{M}])(\p{Ll}{3,})['’]s\s+\p{L}|(?<![\p{L}\p{M}])of (?:my|our) (\p{Ll}{3,})(?![\p{L}\p{M}'’])/gu;
/** Words before `'s` that own nothing: contractions, and times. */
const NO_OWNER = new Set(
  "what that there here where who how when why let she today yesterday tomorrow tonight week month year everyone everybody someone somebody".split(
    " ",
  ),
);
/** Words for the same relation. */
const SAME: readonly (readonly string[])[] = [
  ["mother", "mom", "mum", "mam", "mama"],
  ["father", "dad", "papa"],
  ["wife", "husband", "partner", "spouse"],
  ["boss", "manager", "supervisor"],
  ["child", "kid", "son", "daughter"],
];

/**
 * Returns the relations and things whose property an English question asks for, each with other words for it.
 * Names are left out, because a person's own messages do not name him.
 */
export function ownersIn(question: string): string[][] {
  return [...question.matchAll(OWNER)].flatMap(([, before, after]) => {
    const owner = before ?? after ?? "";
    if (NO_OWNER.has(owner)) return [];
    return [[...(SAME.find((words) => words.includes(owner)) ?? [owner])]];
  });
}

/** Returns whether a text has each of the owners. */
export function hasOwners(text: string, owners: readonly (readonly string[])[]): boolean {
  const folded = fold(text);
  return owners.every((words) => words.some((word) => folded.includes(fold(word))));
}
