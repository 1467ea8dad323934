import { fold } from "../../base/fold.ts";
import { isFunctionWord } from "../words/function-words.ts";
import { isCommonWord } from "../words/question-words.ts";
import { RELATIONS } from "./person-of.ts";

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

/** Matches a statement of the user about himself, and not about "my sister": "I work at", "My phone is". */
const OF_SELF = new RegExp(`^(?:(?:I|we)(?!\\p{L})|(?:my|our) (?!(?:\\p{L}+ )?(?:${RELATIONS})(?!\\p{L})))`, "iu");

/** Returns whether a name is the user's: the scope has it, or the replaced fact was about the user himself and has no such name. */
function isOfUser(name: string, { fact, subject, scope }: UsersFact): boolean {
  const user = fold(scope?.user ?? "");
  const [first = ""] = name.toLowerCase().split(" ");
  if (user === "" || isFunctionWord(first) || isCommonWord(first)) return false;
  const isAboutUser =
    subject === null || subject === undefined || fold(subject) === user || fold(subject) === fold(name);
  const replaced = fact?.replaced ?? "";
  return isAboutUser && (fold(name) === user || (OF_SELF.test(replaced) && !fold(replaced).includes(fold(name))));
}
