import { isCommonWord } from "../words/question-words.ts";
import { wordsBetweenSpaces } from "../words/statements.ts";

/** A statement of a hit, with the person who makes it as far as the hit tells. */
export interface Spoken {
  readonly text: string;
  /** The name of the speaker, or a fact's subject; undefined: not known. */
  readonly speaker: string | undefined;
  /** Whether somebody said it: it is no file. */
  readonly isSaid: boolean;
}

/** The person that a statement is about. */
interface Person {
  /** The words of a name, else of a relation such as "my sister", with spaces around each; empty: the speaker, who is not named. */
  readonly name: string;
  /** The relation of a person with both, as in "my sister Jule"; empty for all others. */
  readonly relation: string;
  readonly is: "speaker" | "named" | "relation" | "pronoun";
}

/** The statement's person, and the data by which statements are compared. */
export interface AboutPerson {
  readonly person: Person | undefined;
  /** All words, and the speaker's name if the statement is in the first person. */
  readonly words: string;
  readonly text: string;
  readonly isFirstPerson: boolean;
  readonly isSaid: boolean;
  /** The owner of the thing that the statement begins with, as in "my flight" and "Lotte's flight". */
  readonly owner: Owner | undefined;
}

/** The owner of a thing: `mine`, `others` ("her flight"), or a relation or a name with spaces around ("my sister's flight"). */
type Owner = "mine" | "others" | ` ${string} `;

/** The words for relatives and friends, as parts of a pattern. */
export const RELATIONS =
  "sister|brother|mother|mum|mom|father|dad|daughter|son|wife|husband|partner|girlfriend|boyfriend|friend|colleague|neighbour|neighbor|aunt|uncle|cousin|grandmother|grandma|grandfather|grandpa|niece|nephew|schwester|bruder|mutter|vater|tochter|sohn|frau|mann|freundin|freund|kollegin|kollege|sœur|frère|mère|père|fille|fils|hermana|hermano|madre|padre|hija|hijo";
const OPENING =
  /^[^\p{L}]*(?:(?:no|yes|ok|okay|so|and|but|today|sorry|oops|actually|correction|nein|ja|non|oui|sí)[,:;]?\s+){0,3}(?:I (?:(?:told|said|mentioned)(?: to)?(?: you)?(?: that)?|(?:made a (?:mistake|typo)|was wrong|(?:got|had) (?:it|that) wrong|mixed (?:it|that|them) up)[,:;])\s+)?/iu;
const RELATION = new RegExp(
  `^(?:my|our|meine?|unsere?|mon|ma|notre|mi|nuestr[oa])\\s+(?:\\p{L}+\\s+)?(${RELATIONS})(?!['’\\p{L}])`,
  "iu",
);
/** A name after a relation: "my sister Jule", "my sister, Jule,". */
const NAME_AFTER = /^,?\s+(\p{Lu}[\p{L}\p{M}]*\p{Ll}(?:\s+\p{Lu}[\p{L}\p{M}]*\p{Ll})?)/u;
/** A name at the start with its verb or possessive; a verb of the third person, or a common one. */
const NAMED =
  /^(\p{Lu}[\p{L}\p{M}]*\p{Ll})(?:\s+(\p{Lu}[\p{L}\p{M}]*\p{Ll}))?(?:['’]s?(?!\p{L})|\s+(?:(?:now|just|only|always|never|still|jetzt|nun)\s+)?(?:is|was|has|had|will|can|got|took|went|came|left|bought|sold|began|started|ist|hat|war|zog|vive|trabaja|est|es|habite|travaille|tiene|[a-zäöüß]{2,}(?:[^s\P{L}]s|es|ed|t))(?!\p{L}))/u;
const I = /(?<![\p{L}\p{N}])(?:I|[Ii]ch|[Jj]e|[Jj]['’]\p{L}+|[Yy]o)(?![\p{L}\p{N}])/u;
const FIRST_PERSON =
  /(?<![\p{L}\p{N}])(?:I|my|me|mine|we|our|us|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|je|j['’]|mon|ma|mes|moi|nous|notre|yo|mi|mis|me|nosotros|nuestr\p{L}*)(?![\p{L}\p{N}])/iu;
/** The names before messages of people who have no name. */
const UNNAMED = new Set(["user", "assistant", "system", "tool"]);

/** Reads whom a statement is about: the speaker ("I live in Porto"), a relation or somebody by name ("Liv lives in Voss"). */
export function aboutPerson({ text, speaker: given, isSaid }: Spoken): AboutPerson {
  const speaker = given && !UNNAMED.has(given.toLowerCase()) ? wordsBetweenSpaces(given) : "";
  const isFirstPerson = FIRST_PERSON.test(text);
  const words = wordsBetweenSpaces(text) + (isFirstPerson ? speaker : "");
  return { person: personOf(text, speaker), words, text, isFirstPerson, isSaid, owner: ownerOf(text) };
}

/** Matches the owner of the thing that a statement begins with; a name or a relation has `'s`. */
const OWNERS = new RegExp(
  `^(?:(?<mine>my|our|meine?|unsere?|mon|ma|notre|mi|nuestr[oa])\\s+(?:(?:\\p{L}+\\s+)?(?<relation>${RELATIONS})['’]s\\s)?|(?<others>her|his|their|ihre?|seine?|leurs?)\\s|(?<name>\\p{L}{2,})['’]s?\\s+\\p{L})`,
  "iu",
);

function ownerOf(text: string): Owner | undefined {
  const { mine, relation, others, name } = OWNERS.exec(text.replace(OPENING, ""))?.groups ?? {};
  if (relation !== undefined) return ` ${relation.toLowerCase()} `;
  if (mine !== undefined) return "mine";
  if (others !== undefined) return "others";
  return name === undefined || isCommonWord(name.toLowerCase()) ? undefined : (wordsBetweenSpaces(name) as Owner);
}

/**
 * Returns whether one statement begins with a thing of its speaker and the other with somebody else's: "my flight"
 * and "Lotte's flight". Lotte may be the speaker.
 */
function haveDifferentOwners(one: AboutPerson, other: AboutPerson): boolean {
  const isOthers = (mine: AboutPerson, { owner }: AboutPerson) =>
    mine.owner === "mine" && owner !== undefined && owner !== "mine" && !haveCommonWord(owner, mine.words);
  return isOthers(one, other) || isOthers(other, one);
}

function personOf(text: string, speaker: string): Person | undefined {
  const start = text.replace(OPENING, "");
  const [opening = "", relation] = RELATION.exec(start) ?? [];
  if (relation) {
    const [, name = ""] = NAME_AFTER.exec(start.slice(opening.length)) ?? [];
    const isNamed = name !== "" && !isCommonWord(name.toLowerCase());
    const words = wordsBetweenSpaces(relation);
    return { name: isNamed ? wordsBetweenSpaces(name) : words, relation: isNamed ? words : "", is: "relation" };
  }
  const [, first = "", second = ""] = NAMED.exec(start) ?? [];
  if (first !== "" && !isCommonWord(first.toLowerCase()))
    return { name: wordsBetweenSpaces(`${first} ${second}`), relation: "", is: "named" };
  if (PRONOUN.test(start)) return { name: "", relation: "", is: "pronoun" };
  return I.test(text) ? { name: speaker, relation: "", is: "speaker" } : undefined;
}

/** Matches the beginning of a statement about somebody whom another sentence names: "She works at Equinor now". */
const PRONOUN = /^(?:s?he|il|elle|él|ella|lui|lei)(?:['’]|\s)/iu;

/**
 * Returns whether two statements are about different people, as far as they tell. A person without a name
 * in a statement that nobody said may be anybody.
 */
export function areOfDifferentPeople(older: AboutPerson, newer: AboutPerson): boolean {
  if (haveDifferentOwners(older, newer)) return true;
  const [one, other] = [personIn(older, newer), personIn(newer, older)];
  if (!one || !other || isIn(one, newer, other)) return false;
  if (one.is === "pronoun" || other.is === "pronoun") return one.is === "speaker" || other.is === "speaker";
  if (one.is === "speaker" && other.is === "speaker") return one.name !== "" && other.name !== "";
  if (one.name !== "" && other.name !== "") return true;
  // "Clara is my manager now" is about the speaker too, but "My sister lives in Voss" is not.
  if (one.name === "") return newer.isSaid && (other.is === "relation" || !newer.isFirstPerson);
  return false;
}

/** Returns a statement's person, unless the name is a thing's: it is written in small letters somewhere. */
function personIn({ person, text }: AboutPerson, other: AboutPerson): Person | undefined {
  if (person?.is !== "named") return person;
  const isThing = person.name
    .trim()
    .split(" ")
    .some((word) => [text, other.text].some((one) => ` ${one.match(WORD)?.join(" ") ?? ""} `.includes(` ${word} `)));
  return isThing ? undefined : person;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns whether another statement names a person. It may name the relation only: "My cousin Hanna works at
 * Bosch" and "My cousin works at Zeiss now". With a name of its own, as in "my cousin Ida", it is of another.
 */
function isIn({ name, relation }: Person, { words }: AboutPerson, other: Person): boolean {
  const isNamed = other.is === "named" || other.relation !== "";
  return haveCommonWord(isNamed ? name : name + relation, words);
}

function haveCommonWord(name: string, words: string): boolean {
  return name
    .trim()
    .split(" ")
    .some((word) => word !== "" && words.includes(` ${word} `));
}

/** Matches the speaker behind the opening of a statement: "My mother lives with me". */
const SPEAKER_TOO =
  /(?<![\p{L}\p{N}])(?:I|me|we|us|my|our|mine|ours|ich|mir|mich|wir|uns|je|moi|nous|yo|nosotros)(?![\p{L}\p{N}])/u;

/**
 * Returns whether a statement is only about somebody else than its speaker: "My mother lives in Paris", "Leo's rent
 * is 700". "My wife and I live in Oslo" is about both.
 */
export function isOnlyOfOthers({ person, owner, text, isSaid }: AboutPerson): boolean {
  if (!isSaid) return false;
  const isOthers = owner !== undefined && owner !== "mine";
  const hasPerson = person !== undefined && person.is !== "speaker";
  if (!isOthers && !(hasPerson && (owner === undefined || person.is === "relation"))) return false;
  const start = text.replace(OPENING, "").replace(/^(?:my|our)\s/iu, "");
  return !SPEAKER_TOO.test(start);
}
