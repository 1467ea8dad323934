import { isOneOfSeveral } from "../../../ingest/coordinated.ts";
import { CAPTURED_IMPORTANCE, type FactCandidate } from "./fact-candidate.ts";
import { type Change, COUNTS } from "./read-change.ts";
import { stem, stemsOf } from "./stems.ts";
import { kindsOf } from "./value-kinds.ts";

/** A fact that a change may be about. */
export interface ChangeableFact {
  /** The id of a stored fact; undefined for a statement of the same messages. */
  readonly id?: string | undefined;
  readonly text: string;
  readonly key?: string | undefined;
}

/** A fact with its words, so that many changes can be compared with it. */
export interface ComparableFact extends ChangeableFact {
  readonly words: readonly string[];
}

/** The most characters of a fact that are compared. A longer text is no statement about one thing. */
const MAX_FACT_CHARS = 500;

/** Returns a fact as changes are compared with it. */
export function comparable({ id, text: whole, key }: ChangeableFact): ComparableFact {
  const text = whole.slice(0, MAX_FACT_CHARS);
  return { id, text, key, words: stemsOf(text) };
}

/** Words behind which a fact's thing is complete: "phone" is no thing in "My phone number is 5". */
const AFTER_THING: ReadonlySet<string> = new Set(
  "is are was were on at in to of for with from by named called and or now who which since until has have had goes takes costs runs ends starts begins leaves expires arrives lasts opens every each also lives works moved it its as twice once daily"
    .split(" ")
    .map(stem),
);
const KIN: ReadonlySet<string> = new Set(
  "wife husband partner girlfriend boyfriend fiancee fiance son daughter child kid baby mother mom mum father dad parent brother sister sibling twin grandmother grandma grandfather grandpa uncle aunt cousin nephew niece friend roommate flatmate neighbor colleague coworker boss manager client customer".split(
    " ",
  ),
);

/**
 * Returns the statement that a change makes about the one known fact that it is about; undefined if it is about
 * none, or if two facts are equally near. The statement ends that fact.
 *
 * @param known the facts that hold, of the scope and the speaker of the message
 */
export function statementOf(change: Change, known: readonly ComparableFact[]): FactCandidate | undefined {
  const one = readOnce(change);
  const near = known
    .map((fact) => ({ fact, nearness: nearnessOf(one, fact) }))
    .filter(({ nearness }) => nearness > 0)
    .sort((a, b) => b.nearness - a.nearness);
  const [best, next] = near;
  if (!best || best.nearness === next?.nearness) return undefined;
  const { fact } = best;
  const { how, text, subject, messageIndex, range, thing } = change;
  // "Rex died" becomes a fact, and the fact "We have two dogs, Rex and Tilly" goes on, because Tilly lives.
  const isPart = isOneOfSeveral(fact.text, asWritten(thing.at(-1) ?? "", fact.text));
  const keeps = !isPart && GIVES_VALUE.has(how) && fact.key !== undefined && SINGLE_VALUED.test(fact.key);
  return {
    text,
    subject,
    messageIndex,
    range,
    category: "fact",
    importance: CAPTURED_IMPORTANCE,
    key: keeps ? fact.key : undefined,
    trigger: "changed",
    ...(isPart ? {} : { ends: { keys: [], ...(fact.id === undefined ? { texts: [fact.text] } : { ids: [fact.id] }) } }),
  };
}

/** Returns a word as a text writes it: "tennis" for its stem. */
function asWritten(stemmed: string, text: string): string {
  return text.match(/[\p{L}\p{M}\p{N}'’.-]+/gu)?.find((word) => stem(word) === stemmed) ?? stemmed;
}

const GIVES_VALUE: ReadonlySet<Change["how"]> = new Set(["value", "amount", "contact"]);
/** Matches the keys of subjects that have one value at a time, so that the next value ends a change too. */
const SINGLE_VALUED =
  /^(?:user\.|entity:|favourite:|project:|decision:|birthday:|mine:|life:.*:(?:age|home|job|work|school)$)/u;
/** Matches the keys of facts that end when their thing is gone. A taste or a name does not. */
const CAN_END =
  /^(?:$|have:|do:|being:|entity:|(?:dog|cat|puppy|kitten|pet|horse|rabbit|hamster|parrot):|date:|dated:|project:|use:|life:|decision:|health:|allergy:)/u;
/** Vehicles, and the keys of the habits that end with them. */
const RIDES: ReadonlyMap<string, RegExp> = new Map([
  ...["car", "van", "truck"].map((word) => [word, /^do:drive-/u] as const),
  ...["bike", "bicycle", "motorbike", "scooter", "horse"].map((word) => [word, /^do:ride-/u] as const),
]);
const FAVOURITE = /favou?rite|preferred|go-to/iu;
const DENIES = /\b(?:no longer|not|never|any ?more|no)\b|n['’]t\b/iu;

/** A change with the words that are compared with each fact, read once. */
interface ReadOnce {
  readonly change: Change;
  /** The last word of the thing. */
  readonly head: string;
  readonly words: readonly string[];
  /** The owners that the sentence names: "sister" in "my sister's flight". */
  readonly owners: readonly string[];
}

function readOnce(change: Change): ReadOnce {
  const { text, thing } = change;
  return { change, head: thing.at(-1) ?? "", words: stemsOf(text), owners: ownersIn(text) };
}

/** Returns how many words of the thing a fact shares; 0 if the change is not about the fact. */
function nearnessOf(one: ReadOnce, fact: ComparableFact): number {
  const { change, head } = one;
  const { thing, how } = change;
  const isSaid = SAID[how];
  if (isSaid) return isSaid(change, fact) && isOfSame(one, fact) ? 1 : 0;
  const isRide = how === "end" && thing.length === 1 && RIDES.get(head)?.test(fact.key ?? "") === true;
  if (isRide) return isOfSame(one, fact) ? 1 / 2 : 0;
  if (!fact.words.includes(head)) {
    const relative = withoutName(one, fact);
    return relative ? nearnessOf(relative, fact) : 0;
  }
  if (!isAbout(one, fact) || isOfOtherKind(one, fact)) return 0;
  if (DENIES.test(fact.text) !== (how === "again")) return 0;
  if (how === "end" && !mayEnd(change, fact)) return 0;
  if (how === "value" && !isNewValue(one, fact)) return 0;
  const shared = thing.filter((word) => fact.words.includes(word)).length;
  return shared - (thing.length - shared) / 2;
}

function isOtherContact({ value }: Change, { key, text }: ComparableFact): boolean {
  return key === (value.includes("@") ? "user.email" : "user.phone") && !text.includes(value);
}

/** Matches an amount with its unit: "50mg", "800 euros". */
const AMOUNT = /\d(?:[\d.,]*\d)? ?(%|[€$£]|\p{L}+)/gu;

/** Returns whether a fact has an amount in the unit of the new one, and another amount. */
function isOtherAmount({ value }: Change, { text, key = "" }: ComparableFact): boolean {
  const [amount] = value.matchAll(AMOUNT);
  const unit = stem(amount?.[1] ?? "");
  if (amount === undefined || OF_TIME.test(unit) || /^(?:user\.|life:)/u.test(key) || text.includes(amount[0]))
    return false;
  return [...text.matchAll(AMOUNT)].filter(([, other = ""]) => stem(other) === unit).length === 1;
}

/** Matches units of time: "We extended it to 6 years" may be about anything. */
const OF_TIME = /^(?:year|month|week|day|hour|minute|second|am|pm|h|min)$/u;

/** Matches, behind the verb of a habit, its times, places and company. A thing ("I run a bakery") makes it another activity. */
const OF_HABIT =
  /^(?:$| (?:every|each|on|in|at|to|with|around|along|about|most|once|twice|three|four|five|\d|daily|regularly|a lot|before|after)(?!\p{L}))/u;

/** Returns whether a fact is about the habit that the speaker has stopped: "running" ends "I run every morning". */
function isHabit({ value }: Change, { key = "", text }: ComparableFact): boolean {
  if (!key.startsWith("do:") || DENIES.test(text)) return false;
  const [, verb = "", rest = ""] = /^(?:I|we)(?: also| now| usually| always)? (\p{L}+)(.*)$/iu.exec(text) ?? [];
  const bare = value.toLowerCase();
  const forms = [bare, `${bare}e`, bare.replace(/(.)\1$/u, "$1")];
  return forms.includes(verb.toLowerCase()) && OF_HABIT.test(rest);
}

/** Matches a thing that people have with several parties at a time, such as an appointment. */
const WITH_PARTY = /^(?:appointment|meeting|call|lesson|session|visit|check-?up|class)$/u;
/** Matches a party that makes a change: "My hairdresser moved my appointment". */
const PARTY = /^(?:the|my|our) (\p{L}+) /iu;

/** Returns whether a change is about a thing of another kind or party: the hairdresser's appointment, not the dentist's. */
function isOfOtherKind({ change, head, words: said }: ReadOnce, { words }: ComparableFact): boolean {
  if (!WITH_PARTY.test(head)) return false;
  const kind = words[words.indexOf(head) - 1] ?? "";
  if (kind === "" || AFTER_THING.has(kind) || BEFORE_KIND.has(kind) || said.includes(kind)) return false;
  const party = PARTY.exec(change.text)?.[1];
  return change.thing.length > 1 || (party !== undefined && stem(party) !== head && !words.includes(stem(party)));
}

/** Words before a thing that name no kind of it. */
const BEFORE_KIND: ReadonlySet<string> = new Set(
  "my our the a an next this that new first last weekly daily".split(" "),
);

/**
 * Returns a change of a relative with a name ("my mother Ruth") as one of the relative alone, if the fact names none:
 * it may be about the same person.
 */
function withoutName({ change, head, ...one }: ReadOnce, fact: ComparableFact): ReadOnce | undefined {
  const [relation = "", name, ...others] = change.thing;
  const at = fact.words.indexOf(relation);
  if (name !== head || others.length > 0 || !KIN.has(relation) || at < 0) return undefined;
  return hasCapital(fact.text, fact.words[at + 1] ?? "")
    ? undefined
    : { ...one, change: { ...change, thing: [relation] }, head: relation };
}

/** Whether a change that names no thing is about a fact. */
const SAID: Partial<Record<Change["how"], (change: Change, fact: ComparableFact) => boolean>> = {
  amount: isOtherAmount,
  contact: isOtherContact,
  habit: isHabit,
};

/** Matches what is cancelled once, and goes on: "The lesson was cancelled today". */
const ONCE_CANCELLED =
  /(?:cancell?ed|called off).*\b(?:today|tonight|tomorrow|this|next|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b/iu;

/** Matches what ends somebody's work, and nothing else of a life. */
const STOPS_WORK =
  /\b(?:quit|retired|resigned|stepped down|fired|let go|laid off|left the (?:company|team|firm|project|band|club|school))\b/iu;
/** Matches the keys of work, of roles, and of facts without a key. */
const OF_WORK = /^(?:$|entity:|life:.*:(?:work|job)$)/u;
/** Matches what is said of an animal, and also of a phone or a book. */
const PUT_DOWN = /\bhad to put\b/iu;
const OF_PET = /^(?:$|have:|(?:dog|cat|puppy|kitten|pet|horse|rabbit|hamster|parrot):)/u;
const HEALED = /\b(?:outgrew|outgrown|got over|gotten over|gave up|quit|stopped)\b/iu;

function mayEnd({ text, who }: Change, { key = "" }: ComparableFact): boolean {
  if (who.length === 0 && STOPS_WORK.test(text) && !OF_WORK.test(key)) return false;
  if (PUT_DOWN.test(text) && !OF_PET.test(key)) return false;
  // "The cat died" ends no allergy to cats.
  if (/^(?:health|allergy):/u.test(key) && !HEALED.test(text)) return false;
  return CAN_END.test(key) && (/^dated?:/u.test(key) || !ONCE_CANCELLED.test(text));
}

/** Returns whether a fact is about the thing of a change, and not about a part of it or somebody else's. */
function isAbout(one: ReadOnce, fact: ComparableFact): boolean {
  const { change, head } = one;
  const { who, about, old, isIt, text } = change;
  const { words, key } = fact;
  if ([...who, ...about, ...old].some((word) => !words.includes(word))) return false;
  if (key?.startsWith("favourite:") && !FAVOURITE.test(text)) return false;
  const isNamed = hasCapital(fact.text, head);
  const isWhole = (at: number) => {
    const [before = "", next = "is"] = [words[at - 1], words[at + 1]];
    return (
      !COUNTS.test(before) && (isNamed || AFTER_THING.has(next) || /^\d/u.test(next) || hasCapital(fact.text, next))
    );
  };
  if (!isIt && !words.some((word, at) => word === head && isWhole(at))) return false;
  // "Leo moved to Rome" is no news of "I live in Oslo with my son Leo".
  if (!isIt && isCompany(words, head)) return false;
  return isOfSame(one, fact);
}

const SCHOOL = /\b(?:school|kindergarten|nursery|college|university|academy)\b/iu;
/** The most words between "with" and the name of who is there: "with our two kids Sofia and Leo". */
const MOST_BETWEEN = 6;

/** Returns whether a word stands only behind "with": somebody is named as company. */
function isCompany(words: readonly string[], head: string): boolean {
  const before = words.slice(0, words.indexOf(head));
  return before.slice(-MOST_BETWEEN).includes("with") && /^(?:i|we)$/u.test(before[0] ?? "");
}

/** Matches a fact about where somebody lives. */
const LIVES = /\b(?:lives?|living|moved|based|home|address)\b/iu;
/** Matches a fact that says what somebody is called, which no other name replaces. */
const CALLED = /\b(?:called|named|names?)\b/iu;
const NEW = /\bnew\b/iu;
const GOES = /\b(?:went|goes|gone)\b/iu;
const PETS: ReadonlySet<string> = new Set([
  "dog",
  "cat",
  "puppy",
  "kitten",
  "pet",
  "horse",
  "rabbit",
  "hamster",
  "parrot",
  "goldfish",
  "fish",
  "bird",
  "turtle",
]);

/** Returns whether the new value is of the kind of the fact's value, and not in the fact already. */
function isNewValue({ change, head }: ReadOnce, { text, words, key }: ComparableFact): boolean {
  const { thing, value, mayReplaceName, mayReplaceWord } = change;
  if (hasTogether(words, stemsOf(value))) return false;
  // A new colleague comes beside the one before, a new boss in the place of the old one.
  if (KIN.has(head) && NEW.test(change.text) && !key?.startsWith("entity:")) return false;
  const before = kindsOf(withoutWords(text, new Set(thing)));
  const kinds = kindsOf(value);
  if (change.isSwap && isValueOf(head, { words, key })) return true;
  if (kinds.has("day")) return before.has("day");
  const isAnimate = isRole(head) || PROFESSIONALS.has(head) || (hasCapital(text, head) && !isAcronym(text, head));
  // "My sister went to two concerts" is no change of hers.
  if (isAnimate && GOES.test(change.text)) return false;
  const hasName = kinds.has("name");
  // "I updated the laptop to Windows 11" is about another name than the laptop's.
  if (hasName && !mayReplaceName) return false;
  if (kinds.has("number") && before.has("number")) return true;
  if (!hasName) return mayReplaceWord && before.has("word");
  if (!before.has("name") || CALLED.test(text)) return false;
  return !isAnimate || isNewPlace(change, { text, key });
}

/** The people of whom somebody has one, besides relatives. Their moves say nothing of their names. */
const PROFESSIONALS: ReadonlySet<string> = new Set(
  "accountant bookkeeper landlord landlady doctor gp dentist paediatrician pediatrician vet therapist hairdresser lawyer plumber electrician gardener cleaner mechanic caretaker nanny babysitter tutor coach trainer barber psychologist physio physiotherapist midwife pharmacist agent adviser advisor notary boss manager supervisor".split(
    " ",
  ),
);

/** Returns whether somebody's new value is a school or a home, as the fact's value is, or is called new. */
function isNewPlace({ isMove, value, text: said }: Change, { text, key = "" }: Pick<ComparableFact, "text" | "key">) {
  if (key.endsWith(":school") && SCHOOL.test(value)) return true;
  return isMove ? LIVES.test(text) : NEW.test(said);
}

/**
 * Returns whether some words stand beside each other among others, in any order: "December 3" is in "on 3 December at
 * 10:00", and "10 December" is not.
 */
function hasTogether(words: readonly string[], wanted: readonly string[]): boolean {
  const sorted = wanted.toSorted().join(" ");
  return words.some(
    (_, at) =>
      words
        .slice(at, at + wanted.length)
        .toSorted()
        .join(" ") === sorted,
  );
}

/** Returns whether a word is the value of a fact: "I traded the Golf for a Tesla" is about "My car is a Golf". */
function isValueOf(word: string, { words, key = "" }: Pick<ComparableFact, "words" | "key">): boolean {
  return key.startsWith("entity:") && !key.includes(word) && words.at(-1) === word;
}

/** Returns whether neither text is about somebody whom the other does not name. A thing with a name is the same thing. */
function isOfSame({ change, head, words: said, owners }: ReadOnce, { text: fact, words }: ComparableFact): boolean {
  // In "Ida outgrew her allergy", Ida is the owner.
  if (change.who.length === 0 && /\b(?:his|her|their)\b/iu.test(change.text)) return false;
  if (owners.some((owner) => !words.includes(owner))) return false;
  const roles = said.filter(isRole);
  const others = words.filter(isRole);
  // "My uncle Tom died" is not about the cat that is called Tom.
  if (roles.length > 0 && others.some((word) => !roles.includes(word))) return false;
  // "The surgery" may be anybody's, and "my surgery" is not my mother's.
  if (!/\b(?:my|our|I|we)\b/iu.test(change.text)) return true;
  if (ownersIn(fact).some((owner) => !said.includes(owner))) return false;
  return hasCapital(fact, head) || words.every((word) => !KIN.has(word) || said.includes(word));
}

function isRole(word: string): boolean {
  return KIN.has(word) || PETS.has(word);
}

function ownersIn(text: string): string[] {
  return [...text.matchAll(/([\p{L}\p{N}]+)['’]s (?=\p{L})/gu)].map(([, word = ""]) => stem(word));
}

/** Returns whether a word has a capital in a text, behind its beginning. */
function hasCapital(text: string, word: string): boolean {
  return (text.match(/(?<=\s)\p{Lu}[\p{L}\p{N}]*/gu) ?? []).some((one) => stem(one) === word);
}

/** Returns whether a word stands in capitals in a text, as "CI" does. */
function isAcronym(text: string, word: string): boolean {
  return text.split(/[^\p{L}\p{N}]+/u).includes(word.toUpperCase());
}

/** Returns a text without the given words and without the word that it begins with. */
function withoutWords(text: string, words: ReadonlySet<string>): string {
  return text.replace(/^\S+ /u, "").replace(/[\p{L}\p{M}]+/gu, (word) => (words.has(stem(word)) ? " " : word));
}
