import { anyOfWords } from "./any-of-words.ts";
import { isRequest } from "./requests.ts";
import { asksSomething } from "./small-talk.ts";

/** The most characters of a question. A longer message has a pasted text, whose "my" may be anybody's. */
const MAX_CHARS = 300;

/**
 * Words that refer to the asker, in English, German, French, Spanish, Italian, Portuguese and Dutch. Words that
 * are also usual words of another of these languages, such as "mes" and "nos", are left out.
 */
const OWN = anyOfWords(
  "my|mine|our|ours|myself|ourselves|(?:about|to|with|for|from|told|tell|gave|sent|promised|owes?) me",
  "mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|wir|uns|(?:über|von|mit|bei|für) (?:mich|mir)",
  "notre|nous|nuestr[oa]s?|nosotr[oa]s|nostr[oaei]|miei|meus?|minhas?|noss[oa]s?|mijn|onze",
);
/** The same, where words with capital letters are names and abbreviations ("US", "Mia", "Mon"). */
const OWN_IN_LOWER_CASE =
  /(?<![\p{L}\p{M}\p{N}'’])(?:us|mio|mia|mie|(?:mon|ma|mi|mis) \p{L}{3,})(?![\p{L}\p{M}\p{N}])/u;
/**
 * The asker beside a verb. Alone, "I" is also a numeral, an Italian article and a Danish preposition. With "can" and
 * "should", and with "how do I", a question is mostly for general advice: "where can I buy stamps?".
 */
const I = anyOfWords(
  "(?<!how )(?:do|did|am|was|have|had|will|don't|didn't|haven't) (?:i|we)|(?:i|we)['’](?:m|re|ve)|we",
  "(?:i|we) (?:am|are|was|were|have|had|said|told|gave|put|left|bought|wrote|met|saw|went|took|made|\\p{L}{2,}ed)",
  "(?:habe|bin|war|hatte|heiße|wohne|arbeite|sagte|wollte|trinke|esse) ich|ich (?:habe|bin|war|hatte|heiße|wohne|arbeite)",
  "(?:ai|suis|étais|avais|habite|travaille)-je|j['’](?:ai|étais|avais|habite)|je (?:suis|travaille|vis)",
  "(?:heb|ben|was|had|woon|werk) ik|ik (?:heb|ben|was|had)",
);
/** Questions for general advice, although they say "we": "can we travel faster than light?". */
const ADVICE = anyOfWords(
  "how (?:do|to|would) (?:i|we)|(?:can|could|should|shall|may|might|must|would) (?:i|we)|if (?:i|we)",
);

/**
 * Returns whether a message is a question about the asker's own life or work: "Who will put the cupboards
 * together for us?". Such a question is meant for the memory, even if no text has its words. "Who wrote
 * Ulysses?" and "how do I exit vim?" may be meant for the model alone.
 *
 * For a question in another language than these, the answer is false.
 */
export function asksOfOwn(message: string): boolean {
  if (message.length > MAX_CHARS || !asksSomething(message) || isRequest(message)) return false;
  return OWN.test(message) || OWN_IN_LOWER_CASE.test(message) || (I.test(message) && !ADVICE.test(message));
}
