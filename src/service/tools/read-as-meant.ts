import type { z } from "zod";
import { addDays, type CivilDay } from "../../base/civil-day.ts";
import { type Described, describeSchema } from "../../base/describe-schema.ts";
import { createJsonCounter } from "../../base/json-structure.ts";
import { readJson } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import type { Days } from "../../relevance/words/periods.ts";
import { endOfDay, readWrittenTime, type WrittenTime, zoneOf } from "./read-times.ts";

/** A model's input in the form that the schema takes, and notes for the model about it. */
export interface MeantInput {
  readonly input: unknown;
  readonly notes: readonly string[];
  /** Texts where a time is asked that are no written time, such as "yesterday". */
  readonly phrases: readonly string[];
}

/** The days that phrases mean, and the time zone of all times without an offset. */
export interface PhraseDays {
  readonly zone: string;
  readonly days: ReadonlyMap<string, Days>;
}

/** The value of a field that counts as left out. */
const ABSENT = Symbol("absent");

interface Reading {
  /** The time zone of times without an offset. */
  readonly zone: string;
  /** Whether the input names this zone, or it is the agent's. */
  readonly isZoneKnown: boolean;
  readonly notes: string[];
  readonly phrases: string[];
  readonly days: ReadonlyMap<string, Days> | undefined;
}

/** The most characters of an unknown key, and the most unknown keys, that a note names. */
const MAX_KEY_CHARS = 40;
const MAX_KEYS = 5;
/** The most values in a text, as JSON or between commas. The longest list of a tool has a hundred items. */
const MAX_VALUES = 2_000;
const MAX_JSON = { values: MAX_VALUES, depth: 16 };
/** The longest text that is read as a number. */
const MAX_NUMBER_CHARS = 64;
/** The longest phrase for a time, and the most phrases of an input. */
const MAX_PHRASE_CHARS = 40;
const MAX_PHRASES = 8;
const TRUE = new Set(["true", "yes", "on", "1"]);
const FALSE = new Set(["false", "no", "off", "0"]);
/** Texts by which models leave out a number, a choice or a list. */
const NOTHING = new Set(["null", "none", "undefined", "nil", "n/a"]);

/**
 * Reads a model's input as it was meant, driven by the schema alone: null and an empty text count as
 * left out where the schema allows that, a number may be a text, one value is a list of one, a list
 * or an object may be JSON in a text, a time is a day where a day is asked, a choice may have another
 * letter case, a key may be in the singular or the plural, or have another name that the schema knows, the
 * whole input may stand below one key, parts of a scope may stand beside it or in an unknown object, and an
 * unknown key is left out with a note, or is the one text that is required, if that is missing. A value without
 * a clear meaning stays unchanged, and the schema then refuses it by name.
 *
 * It takes linear time, and follows nested values only as deeply as the schema describes them, and a few levels
 * below an unknown key.
 *
 * @param known the days of the `phrases` that an earlier call for this input returned
 */
export function readAsMeant(schema: z.ZodType, given: unknown, known?: PhraseDays): MeantInput {
  const described = describeSchema(schema);
  const whole = typeof given === "string" ? (jsonInText(given) ?? given) : given;
  if (!isObject(whole)) return { input: given, notes: [], phrases: [] };
  const fields = innerFields(described, whole) ?? whole;
  const named = zoneOf(fields);
  const reading: Reading = {
    zone: known?.zone ?? named ?? "UTC",
    isZoneKnown: known !== undefined || named !== undefined,
    notes: [],
    phrases: [],
    days: known?.days,
  };
  const input = readObject(described, withScope(described, fields, reading), "", reading);
  return { input, notes: reading.notes, phrases: reading.phrases };
}

/** Returns the input if it stands below one key that the schema does not know, such as `input` or `arguments`. */
function innerFields({ properties = {} }: Described, given: Readonly<Record<string, unknown>>) {
  const [key = "", other] = Object.keys(given);
  const nameOf = keyReader(properties, {});
  if (other !== undefined || nameOf(key) !== undefined) return undefined;
  const value = given[key];
  const inner = typeof value === "string" ? jsonInText(value) : value;
  return isObject(inner) && Object.keys(inner).some((one) => nameOf(one) !== undefined) ? inner : undefined;
}

/** Matches a part of a scope, as models call it: `user`, `userId`, `user_name`, `scope.user`. */
const SCOPE_PART = /^(?:(?:scope|filters?)[.[]?)?(?:for)?(\p{L}+?)(?:ids?|names?)?\]?$/u;
/** Matches the name of an object that can only narrow the call. In other objects, a session may be a source. */
const FILTER = /^(?:filters?|where|conditions?)$/;
/** Matches the name of an object that holds a conversation: its users are speakers. */
const CONVERSATION = /^(?:messages?|history|conversation|turns?|inputs?|content)$/;
/** Matches the name of an object that excludes what is in it. */
const NEGATED = /^\$?(?:not|nor|mustnot|exclude|ne|neq|nin|notin)$/;
/** How many levels below an unknown key a part of a scope is looked for, such as in `{"AND": [{"user_id": "ana"}]}`. */
const FILTER_LEVELS = 4;

/**
 * Returns the input with the parts of a scope that stand beside it, such as `user`, or in an unknown object,
 * such as `filter`, inside the scope. Left out, they would make a call for one user a call for everybody. A
 * null counts as a part, so that the scope is empty: a search then finds only what belongs to no user. Two
 * different values of a part have no clear meaning, and the schema refuses them.
 */
function withScope(
  { properties = {} }: Described,
  given: Readonly<Record<string, unknown>>,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const { scope: described } = properties;
  const parts = described?.properties;
  if (!parts) return given;
  const nameOf = keyReader(properties, given);
  const scopes = Object.keys(given).filter((one) => nameOf(one) === "scope" && !isLeftOut(given[one], described));
  const key = scopes.includes("scope") ? "scope" : (scopes[0] ?? "scope");
  const scope = scopeIn(described, given[key]);
  if (!scope) return given;
  const notes = reading.notes.length;
  const inside = namedByParts(parts, scope, reading);
  const rest = Object.fromEntries(Object.entries(given).filter(([one]) => nameOf(one) !== "scope"));
  const unknown = Object.entries(rest).filter(([one]) => nameOf(one) === undefined);
  for (const one of takeParts(parts, unknown, inside, reading)) delete rest[one];
  // A key in other letters does not count beside the exact key, even if that has no value.
  const isHidden = key !== "scope" && Object.hasOwn(given, "scope");
  return notes === reading.notes.length && !isHidden ? given : { ...rest, scope: inside };
}

/**
 * Adds the parts that fields stand for to a scope, and notes them.
 *
 * @returns the names of the fields that have such parts
 */
function takeParts(
  parts: Readonly<Record<string, Described>>,
  fields: readonly (readonly [name: string, value: unknown])[],
  scope: Record<string, unknown>,
  reading: Reading,
): Set<string> {
  const taken = new Set<string>();
  /** The values that stand beside the scope. */
  const beside = new Map<string, unknown>();
  for (const [name, value] of fields) {
    const { found, hasOthers } = partsFor(parts, name, value);
    for (const [part, shown, meant] of found) {
      const before = beside.get(part) ?? null;
      const isAnother = before !== null && meant !== null && before !== meant;
      if (!isAnother && !isFree(scope, part, meant)) continue;
      scope[part] = isAnother ? [before, meant] : meant;
      beside.set(part, scope[part]);
      taken.add(name);
      reading.notes.push(`Read ${quoted(shown)} as scope.${part}.`);
    }
    if (hasOthers && taken.has(name)) reading.notes.push(`Ignored the rest of ${quoted(name)}.`);
  }
  return taken;
}

/** The parts of a scope that a field stands for. */
interface FoundParts {
  /** Each part with the name by which a note calls it, and its value. */
  readonly found: readonly (readonly [part: string, shown: string, value: unknown])[];
  /** Whether the field has other values too. */
  readonly hasOthers: boolean;
}

function partsFor(parts: Readonly<Record<string, Described>>, key: string, value: unknown): FoundParts {
  const part = partOf(parts, key);
  if (part !== undefined) return { found: [[part, key, value]], hasOthers: false };
  if (CONVERSATION.test(folded(key))) return { found: [], hasOthers: false };
  const { found, hasOthers } = partsWithin(parts, value, FILTER.test(folded(key)));
  const named = [...found].map(
    ([inner, { shown, values }]) => [inner, `${key}.${shown}`, values.length === 1 ? values[0] : values] as const,
  );
  return { found: named, hasOthers };
}

/** Returns the fields of a scope; none if it is left out, and undefined if it is no object. */
function scopeIn(described: Described, value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isLeftOut(value, described)) return {};
  const one = Array.isArray(value) ? singleOf(described, value) : value;
  const scope = typeof one === "string" ? (jsonInText(one) ?? one) : one;
  return isObject(scope) ? scope : undefined;
}

function isLeftOut(value: unknown, described: Described): boolean {
  return value === undefined || value === null || isNothing(value, described) || isEmptyList(value);
}

/** Returns a scope whose parts have their own names: `userId` is `user`. */
function namedByParts(
  parts: Readonly<Record<string, Described>>,
  scope: Readonly<Record<string, unknown>>,
  reading: Reading,
): Record<string, unknown> {
  const nameOf = keyReader(parts, scope);
  const named: Record<string, unknown> = { ...scope };
  for (const [one, value] of Object.entries(scope)) {
    const part = nameOf(one) ?? partOf(parts, one);
    if (part === undefined || part === one || !isFree(named, part, value)) continue;
    delete named[one];
    named[part] = value;
    if (nameOf(one) === undefined) reading.notes.push(`Read ${quoted(`scope.${one}`)} as scope.${part}.`);
  }
  return named;
}

/** Returns whether a scope takes a value for a part: it has none yet, or only a null. */
function isFree(scope: Readonly<Record<string, unknown>>, part: string, value: unknown): boolean {
  return !Object.hasOwn(scope, part) || (scope[part] === null && value !== null);
}

/** Returns the part of a scope that a key means. */
function partOf(parts: Readonly<Record<string, Described>>, key: string): string | undefined {
  const [, name = ""] = SCOPE_PART.exec(folded(key)) ?? [];
  const part = name === "users" ? "user" : name;
  return Object.hasOwn(parts, part) ? part : undefined;
}

/**
 * Returns the different values of each part of a scope in an object that the schema does not know. More than
 * one value has no clear meaning, so the schema refuses them, and so it does a value that is excluded.
 *
 * @param isFilter false: only users count
 */
function partsWithin(
  parts: Readonly<Record<string, Described>>,
  given: unknown,
  isFilter: boolean,
): { found: ReadonlyMap<string, { shown: string; values: readonly unknown[] }>; hasOthers: boolean } {
  const found = new Map<string, { shown: string; values: unknown[] }>();
  let hasOthers = false;
  const look = (value: unknown, levels: number, isExcluded: boolean): void => {
    if (levels === 0 || typeof value !== "object" || value === null) {
      hasOthers = true;
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      const part = Array.isArray(value) ? undefined : partOf(parts, key);
      const isKnown = part !== undefined && (isFilter || part === "user");
      if (!isKnown) look(inner, levels - 1, isExcluded || NEGATED.test(folded(key)));
      else {
        const known = found.get(part) ?? { shown: key, values: [] };
        known.values.push(isExcluded ? { not: inner } : inner);
        found.set(part, known);
      }
    }
  };
  look(typeof given === "string" ? jsonInText(given) : given, FILTER_LEVELS, false);
  const distinct = [...found].map(([part, { shown, values }]) => {
    const real = [...new Set(values)].filter((value) => value !== null);
    return [part, { shown, values: real.length > 0 ? real : [null] }] as const;
  });
  return { found: new Map(distinct), hasOthers };
}

function quoted(key: string): string {
  return JSON.stringify(key.slice(0, MAX_KEY_CHARS).toWellFormed());
}

/**
 * Reads the fields of an object. An exact key has precedence over a key in other letters, such as
 * `max_results`: an adapter that sets a field can rely on it.
 */
function readObject(
  { properties = {}, required = [] }: Described,
  given: Readonly<Record<string, unknown>>,
  at: string,
  reading: Reading,
): Record<string, unknown> {
  const nameOf = keyReader(properties, given);
  const unknown: string[] = [];
  const read: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = nameOf(key);
    if (name === undefined) {
      unknown.push(key);
      continue;
    }
    if (key !== name && Object.hasOwn(given, name)) continue;
    const described = properties[name] ?? {};
    const meant = required.includes(name)
      ? readRequired(described, value, at + name, reading)
      : readOptional(described, value, at + name, reading);
    if (meant !== ABSENT) read[name] = meant;
  }
  const missing = required.filter((name) => !Object.hasOwn(read, name));
  const [name = "", other] = missing;
  // Models call the question `q`, `text` or `message`, and a path `file`. Beside it they put objects and numbers.
  const isText = (value: unknown) => typeof value === "string" && /\p{L}/u.test(value);
  const others = unknown.filter((one) => !isText(given[one]));
  const mayMean = (value: unknown) => isObject(value) && Object.keys(value).some((one) => nameOf(one) !== undefined);
  const isClear = unknown.length > 1 && !others.some((one) => mayMean(given[one]));
  const texts = isClear ? unknown.filter((one) => isText(given[one])) : unknown;
  const [key = "", another] = texts;
  const meant = other === undefined && another === undefined ? textFor(properties[name], given[key]) : undefined;
  if (meant !== undefined && at === "") {
    read[name] = meant;
    reading.notes.push(`Read ${quoted(key)} as ${name}.`);
    unknown.splice(unknown.indexOf(key), 1);
  }
  // An object in which nothing is known was meant otherwise: leaving it out might widen a search.
  if (unknown.length > 0 && at !== "" && Object.keys(read).length === 0) return { ...given };
  if (unknown.length > 0) reading.notes.push(unknownNote(unknown, at, Object.keys(properties)));
  return read;
}

/** Reads a field that is required. It is missing if it is null. */
function readRequired(described: Described, value: unknown, at: string, reading: Reading): unknown {
  if (value === null) return ABSENT;
  return textFor(described, value) ?? readValue(described, value, at, reading);
}

/** Reads a field that may be left out. */
function readOptional(described: Described, value: unknown, at: string, reading: Reading): unknown {
  // An empty part of a scope may be a host's mistake, and left out it would mean everybody.
  const isInside = at.includes(".");
  if (value === null || (!isInside && isNothing(value, described))) return ABSENT;
  const meant = readValue(described, value, at, reading);
  // A limit may be rounded. A required number, such as the line of an edit, is not guessed.
  if (described.type === "integer" && typeof meant === "number") return Math.floor(meant);
  return isEmptyList(meant) ? ABSENT : meant;
}

/**
 * Returns the function that finds the field that a key means: in other letters, by another name of the
 * field, or in the other number.
 */
function keyReader(properties: Readonly<Record<string, Described>>, given: object) {
  const known = Object.keys(properties);
  const exact = new Set(known);
  const others = known.flatMap((name) => (properties[name]?.names ?? []).map((one) => [folded(one), name] as const));
  const byLetters = new Map([...others, ...known.map((name) => [folded(name), name] as const)]);
  const byNumber = new Map(known.map((name) => [singular(name), name]));
  return (key: string): string | undefined => {
    if (exact.has(key)) return key;
    const inOtherNumber = byNumber.get(singular(key));
    const isGiven = inOtherNumber !== undefined && Object.hasOwn(given, inOtherNumber);
    return byLetters.get(folded(key)) ?? (isGiven ? undefined : inOtherNumber);
  };
}

/** Returns a value that may be the one text that is required; undefined for any other. */
function textFor(described: Described | undefined, value: unknown): string | undefined {
  if (described?.type !== "string" || described.enum || described.format) return undefined;
  const one = textOf(Array.isArray(value) ? singleOf(described, value) : value);
  // Ids are numbers to a model: `{"id": 5}`.
  if (typeof one === "number" && Number.isSafeInteger(one)) return String(one);
  return typeof one === "string" && one.trim() !== "" ? one : undefined;
}

/** Returns the text of an object that has nothing else, such as `{"text": "…"}`; any other value unchanged. */
function textOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [text, ...others] = Object.values(value);
  return typeof text === "string" && others.length === 0 ? text : value;
}

function folded(key: string): string {
  return key.toLowerCase().replace(/[_\-\s]/g, "");
}

function unknownNote(unknown: readonly string[], at: string, known: readonly string[]): string {
  const shown = unknown.slice(0, MAX_KEYS).map(quoted);
  const more = unknown.length > MAX_KEYS ? ` and ${unknown.length - MAX_KEYS} more` : "";
  const where = at === "" ? "" : ` of ${at.replace(/\.$/, "")}`;
  return `Ignored ${shown.join(", ")}${more}: the parameters${where} are ${known.join(", ")}.`;
}

/** Returns whether a text is how clients write that they leave an optional field out. */
function isNothing(value: unknown, { type, enum: values, format }: Described): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim().toLowerCase();
  // A field for any text may have a name such as None.
  const isFree = type === "string" && !values && !format;
  return text === "" || (!isFree && NOTHING.has(text) && !values?.includes(text));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function readValue(described: Described, value: unknown, at: string, reading: Reading): unknown {
  const { type } = described;
  if (type === "array") return readList(described, value, at, reading);
  const one = Array.isArray(value) ? singleOf(described, value) : value;
  switch (type) {
    case "object": {
      const fields = typeof one === "string" ? (jsonInText(one) ?? one) : one;
      return isObject(fields) && described.properties ? readObject(described, fields, `${at}.`, reading) : fields;
    }
    case "integer":
    case "number":
      return readNumber(described, one, at, reading);
    case "boolean":
      return readBoolean(one);
    case "string":
      return readText(described, one, at, reading);
    default:
      return value;
  }
}

/** Returns a list as one value where it has one item, or where it lists the words of a text. */
function singleOf({ marks }: Described, list: readonly unknown[]): unknown {
  if (list.length === 1) return list[0];
  const isWords = marks?.includes("words") && list.every((item) => typeof item === "string");
  return isWords ? list.join(" ") : list;
}

/** Reads a list. Empty items are dropped, and a single value is a list of one. */
function readList(described: Described, value: unknown, at: string, reading: Reading): unknown {
  const items = described.items ?? {};
  const listed = typeof value === "string" ? (jsonInText(value) ?? value) : value;
  const given = Array.isArray(listed) ? listed : textsOf(items, listed);
  return given
    .filter((item) => item !== null && !(typeof item === "string" && item.trim() === ""))
    .map((item) => readValue(items, item, at, reading))
    .filter((item) => item !== ABSENT);
}

/**
 * Returns one value as a list. Its text is divided at commas, semicolons and line ends if the list is of
 * words, choices or numbers, or if each part is a pattern or a path with a folder.
 */
function textsOf(items: Described, value: unknown): unknown[] {
  if (typeof value !== "string") return [value];
  const isWords = items.enum !== undefined || items.type === "integer" || items.marks?.includes("words");
  const parts = value.split(isWords ? /[,;\n]/ : /[,;\n]\s*/, MAX_VALUES + 1);
  // A name of a file may have a comma in it.
  if (!isWords && !parts.every((part) => /[/*]/.test(part))) return [value];
  return parts.length === 0 || parts.length > MAX_VALUES ? [value] : parts.map((part) => part.trim());
}

/**
 * Returns the JSON in a text; undefined if it is none, holds what no text may hold, or has more values
 * than any field needs: the count of a request's values does not see them.
 */
export function jsonInText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const bytes = Buffer.from(text);
  if (createJsonCounter(MAX_JSON)(bytes) !== undefined) return undefined;
  const read = readJson(bytes);
  return "value" in read ? read.value : undefined;
}

function readNumber({ type, minimum, words }: Described, value: unknown, at: string, reading: Reading): unknown {
  const text = typeof value === "string" ? (wordFor(words, value.trim().toLowerCase()) ?? value) : undefined;
  const number = text === undefined ? value : numberOf(text, type === "integer");
  if (type !== "integer" || typeof number !== "number" || minimum === undefined || number >= minimum) return number;
  // Models write 0 and -1 for "no limit" and "from the start".
  reading.notes.push(`${at} must be at least ${minimum}, so it was left out.`);
  return ABSENT;
}

/** Matches a whole number with commas between its thousands. */
const THOUSANDS = /^\s*\d{1,3}(?:,\d{3}){1,3}\s*$/;
/** Matches a number whose comma may stand between thousands or before decimals. */
const UNCLEAR_COMMA = /^\s*[1-9]\d{0,2},\d{3}\s*$/;

/** Reads a number, also with a comma, as a share in percent, or as a line; any other text stays. */
function numberOf(text: string, isWhole: boolean): unknown {
  if (isWhole && THOUSANDS.test(text)) return Number(text.replaceAll(",", ""));
  if (UNCLEAR_COMMA.test(text)) return text;
  const [, share, line] = /^\s*(?:(\d{1,3})\s?%|#?L(?:ine)?\s?(\d{1,9}))\s*$/i.exec(text) ?? [];
  if (share !== undefined) return Number(share) / 100;
  const plain = line ?? text.replace(/^(\s*\d{1,9}),(\d{1,9}\s*)$/, "$1.$2");
  return isNumber(plain) ? Number(plain) : text;
}

/** Returns whether a text is a number. A run of digits can be divided in one way only, so the match is linear. */
function isNumber(text: string): boolean {
  return text.length <= MAX_NUMBER_CHARS && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text);
}

function readBoolean(value: unknown): unknown {
  // An object may have a field toString, which no conversion to a text survives.
  if (typeof value === "object") return value;
  const text = String(value).trim().toLowerCase();
  return TRUE.has(text) ? true : FALSE.has(text) ? false : value;
}

function readText(described: Described, value: unknown, at: string, reading: Reading): unknown {
  const { enum: values, format, words } = described;
  if (format === "date" || format === "date-time") return readMoment(described, value, at, reading);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return values && typeof value === "string"
    ? (choiceOf(values, value) ?? wordFor(words, singular(value)) ?? value)
    : value;
}

function wordFor(words: Described["words"] = {}, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** Returns the choice that a text names, in any letter case, in the singular or in the plural. */
function choiceOf(values: readonly unknown[], text: string): unknown {
  const wanted = singular(text);
  return values.find((one) => one === text) ?? values.find((one) => singular(String(one)) === wanted);
}

function singular(text: string): string {
  return folded(text.trim()).replace(/ies$/, "y").replace(/s$/, "");
}

function readMoment(described: Described, value: unknown, at: string, reading: Reading): unknown {
  const time = readWrittenTime(value, reading.zone);
  // The day of a day is the same in each zone, and the moment is not.
  if (time && described.format === "date-time" && !reading.isZoneKnown && !time.isAbsolute)
    daysOfPhrase(value, reading);
  if (time) return readTime(described, value, time, at, reading);
  const days = daysOfPhrase(value, reading);
  if (!days) return value;
  const day = described.marks?.includes("day ends") ? addDays(days.to, -1) : days.from;
  const meant = described.format === "date" ? day : momentOf(described, day, reading.zone);
  reading.notes.push(`${at} was read as ${meant ?? day}.`);
  return meant ?? value;
}

function readTime(described: Described, value: unknown, time: WrittenTime, at: string, reading: Reading): unknown {
  if (described.format === "date") return time.day;
  if (time.at) return isIso(value) ? value : time.at.toISOString();
  const meant = momentOf(described, time.day, reading.zone);
  if (meant === undefined) return value;
  reading.notes.push(`${at} was read as ${meant}.`);
  return meant;
}

/** Returns the moment for which a day stands: its first, or its last. */
function momentOf({ marks }: Described, day: CivilDay, zone: string): string | undefined {
  const at = marks?.includes("day ends") ? endOfDay(day, zone) : readWrittenTime(`${day} 00:00`, zone)?.at;
  return at?.toISOString();
}

/** Returns the days of a phrase, if they are known, and else notes the phrase. */
function daysOfPhrase(value: unknown, { days, phrases }: Reading): Days | undefined {
  if (typeof value !== "string" || value.length > MAX_PHRASE_CHARS) return undefined;
  if (phrases.length < MAX_PHRASES) phrases.push(value);
  return days?.get(value);
}

/** Returns whether a text is a time as the schema takes it. */
function isIso(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);
}
