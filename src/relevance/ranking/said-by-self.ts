import { fold } from "../../base/fold.ts";
import { isFunctionWord } from "../words/function-words.ts";
import { isCommonWord } from "../words/question-words.ts";

/** A fact as far as its user is recognised in it. */
interface UsersFact {
  readonly text: string;
  readonly subject?: string | null | undefined;
  readonly scope?: { readonly user: string } | undefined;
  readonly fact?: { readonly text: string; readonly replaced: string | null } | null | undefined;
}

/** Matches "the user" at the beginning, as models call whose memory it is. */
const THE_USER = /^(?:the )?user(?<owns>['’]s)?(?= )/iu;
/** Matches a name at the beginning: "Paul works at Lloyds", "Paul's phone is new". */
const NAME = /^(?<name>\p{Lu}[\p{L}\p{M}'-]{0,40}?(?: \p{Lu}[\p{L}\p{M}'-]{0,40}?)?)(?<owns>['’]s)?(?= )/u;
const FIRST_PERSON = /(?<![\p{L}\p{N}])(?:I|my|me|we|our)(?![\p{L}\p{N}])/iu;

/**
 * Returns a fact about its user as the user would say it: "Paul's phone is new" as "My phone is new". A model stores facts
 * with names, and people ask for "my phone". Any other hit is returned unchanged.
 */
export function asSaidBySelf<T extends UsersFact>(hit: T): T {
  const { fact, text } = hit;
  if (!fact) return hit;
  const user = THE_USER.exec(text);
  const named = user ? undefined : NAME.exec(text);
  const found = user ?? (named && isOfUser(named.groups?.name ?? "", hit) ? named : undefined);
  if (!found) return hit;
  const inFirst = (words: string) =>
    words.startsWith(found[0])
      ? `${found.groups?.owns === undefined ? "I" : "My"}${words.slice(found[0].length)}`
      : words;
  return { ...hit, text: inFirst(text), fact: { ...fact, text: inFirst(fact.text) } };
}

/** Returns whether a name is the user's: it is the user of the scope, or the fact replaced one in the user's own words. */
function isOfUser(name: string, { fact, subject, scope }: UsersFact): boolean {
  const user = fold(scope?.user ?? "");
  const [first = ""] = name.toLowerCase().split(" ");
  if (user === "" || isFunctionWord(first) || isCommonWord(first)) return false;
  const isAboutUser =
    subject === null || subject === undefined || fold(subject) === user || fold(subject) === fold(name);
  return isAboutUser && (fold(name) === user || FIRST_PERSON.test(fact?.replaced ?? ""));
}
