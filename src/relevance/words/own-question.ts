import { anyOfWords } from "./any-of-words.ts";
import { isRequest } from "./requests.ts";
import { asksSomething } from "./small-talk.ts";

/** The most characters of a question. A longer message has a pasted text, whose "my" may be anybody's. */
const MAX_CHARS = 300;

/** Words that refer to the asker, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const OWN = anyOfWords(
  "my|mine|our|ours|we|myself|ourselves|(?:about|to|with|for|from|told|tell|gave|sent|promised|owes?) me",
  "mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|wir|uns|(?:über|von|mit|bei|für) (?:mich|mir)",
  "mon|mes|notre|nos|nous|nuestr[oa]s?|nosotr[oa]s|nostr[oaei]|miei|meus?|minhas?|noss[oa]s?|mijn|onze|wij",
);
/** Words for the same that are also names or abbreviations, when they have capital letters. */
const OWN_IN_LOWER_CASE = new RegExp(anyOfWords("us|ons|mis|mi|mio|mia|mie").source, "u");
/** The asker himself. */
const I = anyOfWords("i|ich|je|j['’]\\p{L}+|ik");
/** Questions for general advice, although they say "I": "how do I exit vim?", "where can I buy stamps?". */
const ADVICE = anyOfWords(
  "how (?:do|to|would) i|(?:can|could|should|shall|may|might|must|would) i|if i|i (?:can|could|should|must|need)",
  "wie \\p{L}+ ich|(?:kann|könnte|soll|sollte|muss|darf|brauche) ich|wenn ich|hoe \\p{L}+ ik|(?:kan|moet|mag|zou) ik",
  "(?:puis|dois|peux|devrais)-je|comment je|je (?:peux|dois|devrais)",
);

/**
 * Returns whether a message is a question about the asker's own life or work: "Who will put the cupboards
 * together for us?". Such a question is meant for the memory, even if no text has its words. "Who wrote
 * Ulysses?" and "how do I exit vim?" may be meant for the model alone.
 *
 * For a question in another language than these, the answer is false.
 */
export function asksOfOwn(message: string): boolean {
  if (message.length > MAX_CHARS || !asksSomething(message)) return false;
  if (isRequest(message)) return false;
  return OWN.test(message) || OWN_IN_LOWER_CASE.test(message) || (I.test(message) && !ADVICE.test(message));
}
