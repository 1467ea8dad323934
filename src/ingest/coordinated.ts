/** Joins the parts of a list. In "Storgata 5, Oslo", the comma makes no list. */
const JOIN = /,? (?:and|or|&|as well as) /iu;
/** A part that is a statement of its own: "and she is nice", "and love it". */
const STATEMENT =
  /^(?:I|we|he|she|it|they|you|then|now|so|which|who)(?!\p{L})|(?<!\p{L})(?:it|them|there|this)[ .!]*$/u;
/** A verb behind the subject of a statement: both predicates of "My flight is at 9 and takes an hour" are about the flight. */
const VERBS =
  "is|are|was|were|has|have|had|can|will|lives?|works?|goes|costs?|takes?|starts?|begins?|ends?|opens?|closes?|runs?|leaves?|lasts?|plays?|moved|expires?";
const VERB = new RegExp(`(?<!\\p{L})(?:${VERBS})(?!\\p{L})`, "iu");
/** Words that begin a further party or purpose: "with Dr. Kim on Monday and with Dr. Lee on Friday". */
const FURTHER = /^(?:with|for)(?!\p{L})/iu;

/**
 * Returns whether a text names a value as one part of a list: "metformin" in "I take lisinopril 10mg and metformin
 * 500mg". A statement that ends this value must not end the fact, which has the other values too. In doubt the value
 * counts as a part, because a fact that is kept too long does less harm than a lost one.
 */
export function isOneOfSeveral(text: string, value: string): boolean {
  const wanted = value.trim().toLowerCase();
  if (wanted === "") return false;
  const parts = text.split(JOIN);
  const at = parts.findIndex((part) => indexOfWord(part, wanted) >= 0);
  const [first = ""] = parts;
  const part = parts[at];
  if (part === undefined || parts.length === 1) return false;
  const isStatement = (one: string) => STATEMENT.test(one) || (WITH_VERB.test(one) && VERB_OR_I.test(first));
  const place = indexOfWord(part, wanted);
  const isName = /\p{Lu}/u.test(part.charAt(place));
  // "I work at Acme and travel" names one employer. "Every Tuesday and Thursday" is one time.
  const isAnother = (one: string) => !DAY.test(one) && (!isName || LIKE_NAME.test(one));
  if (at > 0) return !isStatement(part) && isAnother(first);
  const isSubject = VERB.test(part.slice(place + wanted.length));
  return parts.slice(1).some((one) => !isStatement(one) && isAnother(one) && (!isSubject || FURTHER.test(one)));
}

/** A part with a subject of its own: "and Anna lives in Bergen". */
const WITH_VERB = new RegExp(`^\\p{Lu}[\\p{L}\\p{M}'’-]* (?:${VERBS})(?!\\p{L})`, "u");
const VERB_OR_I = new RegExp(`^(?:I|we)(?!\\p{L})|(?<!\\p{L})(?:${VERBS})(?!\\p{L})`, "iu");
const DAY =
  /^(?:every |on |the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mornings?|evenings?|\d{1,2}(?::\d\d)?(?: ?[ap]m)?)\W*$/iu;
/** A part that may stand beside a name: another name, a number, or a thing with its article. */
const LIKE_NAME = /\p{Lu}|\d|^(?:a|an|the|my|our|one|another)(?!\p{L})/u;

/** Returns the index of whole words in a text, ignoring case; -1 if the text does not have them. */
function indexOfWord(text: string, words: string): number {
  const small = text.toLowerCase();
  for (let at = small.indexOf(words); at >= 0; at = small.indexOf(words, at + 1))
    if (!LETTER.test(small.charAt(at - 1)) && !LETTER.test(small.charAt(at + words.length))) return at;
  return -1;
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
