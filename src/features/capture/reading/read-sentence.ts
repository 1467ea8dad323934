import type { FactCategory } from "../../../db/agent/facts/facts.ts";
import type { Ending } from "../../../ingest/plan-facts.ts";
import { type Slot, slotOf } from "./answer-slots.ts";
import * as english from "./english.ts";
import { type CaptureRule, ENGLISH_RULES, HABIT } from "./english-rules.ts";
import { addedKey, EMPLOYED, factKey, type KeyParts, slugOf } from "./fact-key.ts";
import { requested } from "./requests.ts";
import type { Sentence } from "./sentences.ts";

/** The part of a sentence that is worth keeping, with its positions in the message. */
export interface Statement {
  readonly text: string;
  readonly category: FactCategory;
  readonly key: string | undefined;
  readonly trigger: string;
  readonly ends?: Ending;
  readonly range: { readonly start: number; readonly end: number };
  /** The value that a correction may replace, and the part of the sentence before it. */
  readonly value?: { readonly text: string; readonly stem: Sentence } | undefined;
}

/** Where a sentence stands. */
export interface HowRead {
  readonly isRule: boolean;
  readonly isAsked: boolean;
  readonly isAlone?: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The most words like "please" and "also" that are removed in a row. */
const MAX_PEELED = 6;
/** The length from which a note may begin with "this": a longer note still says what it means. */
const MAX_POINTING_CHARS = 40;
const ENDS_IN_QUESTION = /[?？][^\p{L}\p{N}]*$/u;
const STOPS = /[\s.!。！…,，、;；:：]+$/u;
const CLAUSE_RULES = ENGLISH_RULES.filter(({ flags }) => !flags.has("whole"));
const WHOLE_RULES = ENGLISH_RULES.filter(({ flags }) => flags.has("whole"));
/** The keys under which a thing may stand that a statement with a key of the same family gives up. */
const FAMILIES: readonly (readonly string[])[] = [
  ["use:", "decision:", "project:", "preference:", "changed:"],
  ["like:"],
  ["do:"],
  ["being:"],
  ["have:"],
];

/**
 * Returns the statements in a sentence; none for a question.
 *
 * @param options.isRule whether the sentence is an item of a list that was announced as rules
 * @param options.isAsked whether the next sentence asks to remember this one
 * @param options.isAlone whether the message says nothing else
 */
export function readSentence(given: Sentence, { isRule, isAsked, isAlone = false }: HowRead): Statement[] {
  const behind = english.REMEMBER_BEHIND.exec(given.mask);
  const sentence = behind ? partOf(given, 0, behind.index) : given;
  const { mask } = sentence;
  const asked = requested(mask);
  if (asked) return [noteOf(sentence, asked, "remember")];
  if (!english.HINTS.test(mask) && !isRule) return [];
  const begin = withoutLeadIns(mask, { start: 0, end: mask.length }).start;
  const conditional = english.CONDITION.test(mask.slice(begin));
  const asks = ENDS_IN_QUESTION.test(mask);
  if (english.QUESTION.test(mask.slice(begin)) || (asks && conditional)) return [];
  const whole = asks ? undefined : readWhole(sentence, begin);
  if (whole) return [whole];
  const clauses = cutClauses(mask, conditional);
  const { stated, noted } = readClauses(
    sentence,
    asks ? clauses.slice(0, -1) : clauses,
    conditional ? begin : undefined,
    behind !== null || isAsked,
  );
  if (isRule && stated.length === 0 && !asks) return [noteOf(sentence, { start: begin, end: mask.length }, "rule")];
  if (noted && isWorthNoting(mask, noted)) return [...stated, noteOf(sentence, noted, "remember")];
  return isAlone && stated.length === 0 && !asks ? standingOrder(sentence, begin) : stated;
}

/**
 * Returns the instruction about all answers that a whole message gives: "Please answer in German". Beside a question the
 * same sentence is about one answer, and so is every wish for a length.
 */
function standingOrder(sentence: Sentence, start: number): Statement[] {
  const span = { start, end: withoutTail(sentence.mask, { start, end: sentence.mask.length }) };
  const slot = slotOf(sentence.mask.slice(start, span.end));
  if (!slot || slot.key === "preference:answer-length") return [];
  const ends = endingOfSlot(slot);
  return [{ ...placed(sentence, span), category: "preference", key: slotKey(slot), trigger: "answers", ends }];
}

/** Returns the statements of the clauses, and the place of a request to remember something that no rule matches. */
function readClauses(
  sentence: Sentence,
  clauses: readonly Clause[],
  condition: number | undefined,
  isAskedBehind: boolean,
) {
  const stated: Statement[] = [];
  let noted: Span | undefined;
  let remembers = false;
  let previous: Heard | undefined;
  for (const [index, clause] of clauses.entries()) {
    const heard = hear(sentence.mask, clause, previous);
    const statement = heard && readClause(sentence, heard, index > 0 ? condition : undefined);
    if (heard && !statement && clause.carried && previous?.captured)
      stated.push(...withRest(sentence, stated.splice(-1), heard));
    previous = heard;
    if (!heard) continue;
    heard.captured = statement !== undefined;
    remembers ||= heard.remember;
    if (statement) stated.push(statement);
    else if (remembers || (isAskedBehind && (noted || english.STATED.test(sentence.mask.slice(heard.start)))))
      noted = { start: noted?.start ?? heard.start, end: heard.end };
  }
  return { stated, noted };
}

/**
 * Returns a denial with the clause after it, if no rule reads that clause: "I left Acme and went to sea". The
 * passage counts as a repetition of the fact, so the rest would not be found any more.
 */
function withRest(sentence: Sentence, last: readonly Statement[], rest: Heard): readonly Statement[] {
  return last.map((statement) => {
    const start = sentence.places.indexOf(statement.range.start);
    if (statement.trigger !== "no longer" || start < 0) return statement;
    return { ...statement, ...placed(sentence, { start, end: withoutTail(sentence.mask, rest) }) };
  });
}

interface Heard extends Span {
  /** The words that the clause before has in common with this one: "I ", or none. */
  readonly subject: string;
  readonly remember: boolean;
  /** Whether the clause may be the second half of a statement about somebody else. */
  readonly mayBeOthers: boolean;
  captured: boolean;
}

/**
 * Returns whether the clause is the speaker's own. It is not when somebody else says it, or when
 * the text before its colon does not announce the speaker's own words.
 */
function isOwn(mask: string, clause: Clause): boolean {
  const before = mask.slice(0, clause.start);
  if (clause.start > 0 && english.REPORTED.test(before)) return false;
  const head = /^.*[:：](?=\s|$)/su.exec(before)?.[0] ?? "";
  if (head !== "" && !english.OWN_COLON.test(head) && !english.REMEMBER.test(before)) return false;
  return !english.REPORTED_AFTER.test(mask.slice(clause.end));
}

function hear(mask: string, clause: Clause, previous: Heard | undefined): Heard | undefined {
  if (!isOwn(mask, clause)) return undefined;
  const said = previous === undefined ? "" : previous.subject + mask.slice(previous.start, previous.end);
  if (clause.carried && !/^(?:I|I'?m)\b/iu.test(said)) return undefined;
  let span = withoutLeadIns(mask, clause);
  const match = english.REMEMBER.exec(mask.slice(span.start, span.end));
  if (match) span = withoutLeadIns(mask, { ...span, start: span.start + match[0].length });
  const carried = english.CARRIES_AM.test(mask.slice(span.start)) ? "I'm " : "I ";
  return {
    ...span,
    subject: clause.carried ? carried : "",
    remember: match !== null || isAnnounced(mask, clause),
    mayBeOthers: clause.after === "and" && previous?.captured !== true,
    captured: false,
  };
}

/** Returns whether only a request to remember stands before the clause: "Please remember: …", "New rule: …". */
function isAnnounced(mask: string, { start }: Clause): boolean {
  const begin = withoutLeadIns(mask, { start: 0, end: start }).start;
  return start > begin && english.REMEMBER.exec(mask.slice(begin))?.[0].length === start - begin;
}

function readWhole(sentence: Sentence, begin: number): Statement | undefined {
  const heard = hear(
    sentence.mask,
    { start: begin, end: sentence.mask.length, after: "start", carried: false },
    undefined,
  );
  return heard && readClause(sentence, heard, undefined, WHOLE_RULES);
}

/**
 * Returns the statement of the first rule that matches. If that statement cannot be kept, no other
 * rule is tried.
 *
 * @param condition the start of the condition before the clause ("When I write Python, …")
 */
function readClause(
  sentence: Sentence,
  heard: Heard,
  condition: number | undefined,
  rules = CLAUSE_RULES,
): Statement | undefined {
  const end = withoutTail(sentence.mask, heard);
  const clause = heard.subject + sentence.mask.slice(heard.start, end);
  const shown = heard.subject + sentence.text.slice(heard.start, end);
  const from = condition ?? heard.start;
  const textTo = (length: number) => (heard.subject === "" ? undefined : shown.slice(0, length));
  const when = condition === undefined ? undefined : sentence.text.slice(condition, heard.start);
  const found = firstMatch(rules, clause, shown);
  const mayDeny = condition === undefined && rules === CLAUSE_RULES && !found?.rule.flags.has("change");
  const denied = mayDeny ? readDenial(clause, shown) : undefined;
  if (denied) {
    const { read, length } = denied;
    return { ...placed(sentence, { start: from, end: end - clause.length + length }, textTo(length)), ...read };
  }
  const before = sentence.mask.slice(0, heard.start);
  if (!found || !isKept(found, `${when ?? ""}${clause}`, heard, before)) return undefined;
  const { rule, length } = found;
  const stop = rule.flags.has("cut") ? heard.start + length - heard.subject.length : end;
  return {
    ...placed(sentence, { start: rule.flags.has("context") ? 0 : from, end: stop }, textTo(length)),
    category: rule.category,
    trigger: rule.trigger,
    ...keyOf(found, { clause, before, when, adds: english.ADDS.test(sentence.mask.slice(heard.start, heard.end)) }),
    value: correctable(sentence, heard, found, from),
  };
}

/**
 * Returns the key of a statement, and the facts that the statement ends.
 *
 * @param around.before the text before the clause
 * @param around.when the condition before the clause
 * @param around.adds whether the clause says that the value comes beside others
 */
function keyOf(
  { rule, parts: given }: RuleMatch,
  { clause, before, when, adds }: { clause: string; before: string; when: string | undefined; adds: boolean },
): Pick<Statement, "key" | "ends"> {
  const { parts, refused } = contrastIn(given);
  const slot = when === undefined ? slotIn(rule, clause) : undefined;
  if (slot) return { key: slotKey(slot), ends: endingOfSlot(slot) };
  const kind = kindOf(rule, before, parts.value);
  const subject = factKey(kind, isAbout(kind, parts, when));
  if (subject === undefined) return { key: undefined };
  const isBeside = adds || ALSO_BEFORE.test(before) || holdsPartly(subject, clause);
  const isNew = english.NEW_HABIT.test(clause) || english.BEGINS_NEW.test(before);
  const others = refused.flatMap((one) => factKey(kind, isAbout(kind, one, when)) ?? []);
  const ends = endingToo(
    endingOf(subject, rule.flags, parts, isNew),
    others.filter((one) => one !== subject),
  );
  return { key: isBeside ? addedKey(subject, parts) : subject, ends };
}

/** Matches a value with another that is refused, in the second group: "cashews, not peanuts". */
const CONTRAST =
  /^(.{1,60}?),? (?:and |but )?(?:not|rather than|instead of) (?:(?:an?|the|to) )?(?!(?:with|in|at|on|for|from|only|just|really|very|too|so|that|yet|sure|always|any|all|because|if|when|much|even|quite|as|by|of)\b)([^,;:]{1,40})(?:[,;].*)?$/iu;

/**
 * Returns the parts of a statement with the value that holds, and the parts of the statements that it refuses: "I speak
 * Spanish, not Italian" refuses "I speak Italian".
 */
function contrastIn(given: KeyParts): { parts: KeyParts; refused: readonly KeyParts[] } {
  const name = given.value === undefined ? "who" : "value";
  const [, kept, refused = ""] = CONTRAST.exec(given[name] ?? "") ?? [];
  if (kept === undefined) return { parts: given, refused: [] };
  const values = [refused, kept.replace(/\S+$/u, () => refused)];
  return { parts: { ...given, [name]: kept }, refused: values.map((value) => ({ ...given, [name]: value })) };
}

/** Returns an ending that also ends facts with other keys, unless the ending depends on a value. */
function endingToo(ending: Ending, others: readonly string[]): Ending {
  const { keys, ...conditions } = ending;
  return others.length === 0 || Object.keys(conditions).length > 0 ? ending : { keys: [...keys, ...others] };
}

/** Returns the kind of a statement's key. "I'm Danish" has the form of "I'm Dana", but behind a greeting people give their names. */
function kindOf({ trigger, key, flags }: CaptureRule, before: string, value = ""): string {
  // "I live at 12 Elm Street" is ended by a new address.
  if (key === "user.location" && !flags.has("home") && STREET.test(value)) return "user.address";
  return trigger === "name" && (key === "" || key === "called") && GREETED.test(before) ? "user.name" : key;
}

/** Matches a street with its number. */
const STREET =
  /^\d{1,5}\p{L}? \p{Lu}|^(?:a |an |the )?(?:[\p{Ll}]+ ){0,4}\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2} \d{1,4}\p{L}?(?=$|[,.;]| in )/u;

function correctable(sentence: Sentence, heard: Heard, { parts, at }: RuleMatch, from: number): Statement["value"] {
  const begin = heard.start + at - heard.subject.length;
  const before = partOf(sentence, from, begin);
  const place = sentence.places[heard.start] ?? 0;
  const stem = {
    text: heard.subject + before.text,
    mask: heard.subject + before.mask,
    places: [...[...heard.subject].map(() => place), ...before.places],
  };
  return { text: parts.value ?? parts.who ?? "", stem };
}

/** Matches the triggers of rules for instructions and preferences about answers. */
const SLOTTED = /^(?:use|avoid|always|don't|from now on|answers|prefer|in general)$/u;

function slotIn({ trigger }: CaptureRule, clause: string): Slot | undefined {
  return SLOTTED.test(trigger) ? slotOf(clause.replace(PREFERS, "")) : undefined;
}

/** Matches what stands before the value of a preference. */
const PREFERS = /^(?:I|we)\b[^,;]{0,30}? prefer (?:to use |using |to )?/iu;

/** A refusal has a key of its own: "never answer in German" stands beside "answer in English". */
function slotKey({ key, choice, isRefused }: Slot): string {
  return isRefused ? `${key}:not-${choice.toLowerCase()}` : key;
}

/** A refusal ends the choice that it refuses, and a choice its own refusal. */
function endingOfSlot({ key, choice, isRefused }: Slot): Ending {
  return isRefused ? { keys: [key], says: choice } : { keys: [`${key}:not-${choice.toLowerCase()}`] };
}

const GREETED =
  /^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening))(?: there| all| everyone| everybody| team)?[,.! –-]+$/iu;
/** Matches the keys of homes and jobs. One of these for a part of the time comes beside the other. */
const OF_WHOLE_TIME = /^(?:user\.(?:location|employer)$|life:.*:(?:home|work)$)/u;

function holdsPartly(key: string, clause: string): boolean {
  return OF_WHOLE_TIME.test(key) && english.PART_TIME.test(clause);
}

const ALSO_BEFORE = /\band also $/iu;

interface RuleMatch {
  readonly rule: CaptureRule;
  readonly parts: KeyParts;
  /** The group `value`, with everything masked that is not the user's own. */
  readonly own: string;
  readonly length: number;
  /** The place of the group `value`, or else `who`, in the clause. */
  readonly at: number;
}

function firstMatch(rules: readonly CaptureRule[], clause: string, shown: string): RuleMatch | undefined {
  for (const rule of rules) {
    const match = rule.pattern.exec(clause);
    if (!match) continue;
    const parts: Record<string, string | undefined> = {};
    for (const name of ["value", "topic", "old", "scope", "who"]) {
      const [from, to] = match.indices?.groups?.[name] ?? [0, 0];
      parts[name] = to === 0 ? undefined : shown.slice(from, to);
    }
    const { value, who } = match.indices?.groups ?? {};
    const at = (value ?? who)?.[0] ?? 0;
    if (looksRight(rule, parts)) return { rule, parts, own: match.groups?.value ?? "", length: match[0].length, at };
  }
  return undefined;
}

function looksRight({ flags }: CaptureRule, parts: Readonly<Record<string, string | undefined>>): boolean {
  return [...flags].every((flag) => {
    const [name = "", look] = flag.split("=");
    if (look === undefined) return true;
    const text = parts[name];
    return text === undefined ? name === "old" : english.LOOKS.get(look)?.test(text);
  });
}

type Denial = Pick<Statement, "category" | "key" | "trigger" | "ends">;

/** Reads a denial, first without a remark at its end, and returns the length that was read. */
function readDenial(clause: string, shown: string): { read: Denial; length: number } | undefined {
  for (const length of [english.REMARK.exec(clause)?.index ?? clause.length, clause.length]) {
    const read = denialOf(clause.slice(0, length), shown.slice(0, length));
    if (read) return { read, length };
  }
  const read = permissionOf(clause, shown);
  return read && { read, length: clause.length };
}

/**
 * Reads a denial ("I no longer work at Acme") as the statement that it denies. It ends the facts
 * that say so. Its own key is that of the statement with `not:` before it.
 */
function denialOf(clause: string, shown: string): Denial | undefined {
  const found = english.DENIALS.flatMap((denial) => deniedBy(denial, clause, shown));
  const [first] = found;
  if (!first) return undefined;
  const denial = { category: "fact", key: deniedKey(first), trigger: "no longer" } as const;
  if (first.says === undefined) return denial;
  // "I left Berlin" may be about an employer or a home: facts that name Berlin end.
  const keys = [
    ...new Set(
      found.flatMap(
        ({ key, keys }) =>
          keys ?? [...familyOf(key), ...jobsOf(key), ...(key === "user.employer" ? LEFT_TOO : []), `${key}:`],
      ),
    ),
  ];
  // "We decided not to use Postgres for the cache" leaves what else it is used for.
  if (first.isNarrow) return { ...denial, ends: { keys: [first.key], says: first.says } };
  const isChoice = first.key.startsWith("use:");
  const ends = isChoice ? { keys: [...keys, ""], undoes: { chosen: first.says } } : { keys };
  return { ...denial, ends: { ...ends, says: first.says } };
}

/** Returns the key of a denial. People leave many things: "I quit Duolingo" does not replace "I quit Maersk". */
function deniedKey({ key, says }: Denied): string {
  return key === "user.employer" ? `not:${key}:${slugOf(says)}` : `not:${key}`;
}

/** The keys of other places that people leave like an employer: "I left FitX" may be about a gym. */
const LEFT_TOO = ["entity:gym", "entity:school", "entity:university", "entity:bank", "entity:insurer"];

/** Reads "You may suggest fish again" as the end of "Never suggest fish". */
function permissionOf(clause: string, shown: string): Denial | undefined {
  const match = english.PERMITS.exec(clause);
  const { value = "" } = match?.groups ?? {};
  if (!match || english.ONCE.test(clause) || english.ADVICE.test(clause)) return undefined;
  const from = clause.indexOf(value, match[0].length - clause.length);
  const refusal = `never ${value}`;
  const found = /^call me \p{Lu}/u.test(value)
    ? undefined
    : firstMatch(CLAUSE_RULES, refusal, `never ${shown.slice(from, from + value.length)}`);
  if (!found || english.POINTING.test(found.own) || english.POINTS_BACK.test(value)) return undefined;
  const slot = slotIn(found.rule, refusal);
  const key = slot ? slotKey(slot) : factKey(found.rule.key, found.parts);
  if (key === undefined) return undefined;
  return { category: "fact", key: `not:${key}`, trigger: "no longer", ends: { keys: [key], permits: true } };
}

/** A denied statement. */
interface Denied {
  readonly key: string;
  /** The value that a fact must mention to end. */
  readonly says: string | undefined;
  /** Whether a choice is denied for one purpose or place alone. */
  readonly isNarrow?: boolean;
  /** The keys of the facts that end; by default the family of its key. */
  readonly keys?: readonly string[];
}

/** Returns the key and the value of the statement that a clause denies; none if it does not deny in this form. */
function deniedBy(
  { pattern, denied, keys: begins }: (typeof english.DENIALS)[number],
  clause: string,
  shown: string,
): Denied[] {
  if (!pattern.test(clause)) return [];
  const positive = (text: string) => text.replace(pattern, denied);
  const timeless = (text: string) => positive(text).replace(english.WHEN, "");
  // The time is when it ended ("I left Acme in May"), or belongs to a habit ("We don't deploy on Fridays any more").
  const found =
    firstMatch(CLAUSE_RULES, timeless(clause), timeless(shown)) ??
    firstMatch(CLAUSE_RULES, positive(clause), positive(shown));
  const habit = found || !begins.includes("") ? undefined : givenUp(clause, positive(clause), positive(shown));
  if (habit !== undefined) return [{ key: factKey("do", { value: habit }) ?? "do:", says: habit }];
  const key = found && factKey(found.rule.key, found.parts);
  if (!key || !begins.some((begin) => key.startsWith(begin)) || english.POINTING.test(found?.own ?? "")) return [];
  if (found?.rule.key === "of.life" && english.PASSING.test(clause)) return [];
  const { who, value = who, topic } = found?.parts ?? {};
  if (found && who !== undefined && OF_SOMEBODY.test(key)) return [deniedOf(key, who, found)];
  const isNarrow = isForOne(key, found?.parts) && DECIDES.test(clause);
  return [{ key, isNarrow, says: /^(?:entity|user\.partner)/.test(key) ? (who ?? value) : (value ?? topic) }];
}

/** Matches a decision, which may be one among several. "We're not going with Postgres for billing" takes back another. */
const DECIDES = /\bdecided (?:not to|against)\b|\b(?:dropped|ditched|abandoned|retired) .{1,60} for (?:the|our|my)\b/iu;

/** Returns whether a choice is for one purpose or place. */
function isForOne(key: string, { topic, scope }: KeyParts = {}): boolean {
  return /^(?:use|decision|preference):/u.test(key) && (topic !== undefined || scope !== undefined);
}

/** Matches, in the key of a statement about another person's health or life, what stands before the person or the topic. */
const OF_SOMEBODY = /^(?:allergy:[^@]*@|(?:health|life):)/u;
/** Matches the verb before what a person is or has, which a denial has in another form: "doesn't have" denies "has". */
const BEING = /^(?:is|are|has|have|can't|goes|go|studies|study)(?: now| also)? (?:an? |any )?/iu;

/**
 * Returns what a denial about another person ends. People tell once who "Ida" is, and then leave out
 * "my daughter": a bare name ends facts of everybody with this name, and "my daughter Ida" also facts
 * of "Ida". "My daughter" alone may be another daughter.
 */
function deniedOf(key: string, who: string, { rule, parts }: RuleMatch): Denied {
  const says = parts.value?.replace(BEING, "") ?? "";
  const name = nameIn(who);
  const allOf = (one: string) => one.replace(/(?<=^(?:health|life):[^:]*:).*/u, "");
  if (name === "") return { key, says, keys: [allOf(key)] };
  if (name === who) return { key, says: `${name} ${says}`, keys: OF_SOMEBODY.exec(key) ?? [] };
  const named = factKey(rule.key, { ...parts, who: name }) ?? key;
  return { key: named, says, keys: [allOf(key), allOf(named)] };
}

/** Returns the name in "my daughter Ida"; empty if there is none. */
function nameIn(who: string): string {
  return who.replace(/^(?:[Mm]y|[Oo]ur|[Tt]he) [^\p{Lu}]*/u, "");
}

/** Returns the habit that a clause gives up for good ("I don't read the NYT any more"), whenever it was done. */
function givenUp(clause: string, positive: string, shown: string): string | undefined {
  if (!english.FOR_GOOD.test(clause) || !HABIT.test(positive)) return undefined;
  const habit = HABIT.exec(shown)?.groups?.value ?? "";
  return english.POINTING.test(habit.replace(/^\p{L}+ (?:to |with |for )?/u, "")) ? undefined : habit;
}

/**
 * Returns the facts that a statement ends beside those with its own key: its denials, facts with the
 * old value, and decisions that it takes back.
 */
function endingOf(
  key: string,
  flags: ReadonlySet<string>,
  { old, value, topic, who }: KeyParts,
  isNew: boolean,
): Ending {
  const family = [...familyOf(key), ...(flags.has("home") ? ["user.address"] : [])];
  const denials = (OF_SOMEBODY.exec(key) ?? familyOf(key)).map((one) => `not:${one}`);
  if (key === "user.employer") denials.push("not:user.employer:");
  const others = oneAtATime(key, old, value);
  if (others.length > 0)
    return {
      keys: [...denials, ...others],
      ...sparedBy(key, value),
      ...(key.startsWith("dated:") ? { isOnly: true } : {}),
    };
  // With a topic, the value holds again for this topic alone, which the key names.
  if (flags.has("back") && topic === undefined)
    return { keys: [...family, ...denials, ""], says: old ?? NOTHING, undoes: { kept: value, chosen: old } };
  const before = isNew ? habitBefore(key) : undefined;
  if (before !== undefined) return { keys: [...denials, `${before.kind}:`], says: before.says };
  if (old === undefined || !(flags.has("change") || flags.has("back")))
    return { keys: flags.has("home") ? [...family, ...denials] : denials };
  return endingOfOld(key, { old, who }, { family, denials });
}

/**
 * Returns the keys of facts that cannot hold beside a statement: a diet ends "I eat meat", retirement or a new
 * job ends the employment before it, and "The flight moved to Friday" ends the days that were told before.
 */
function oneAtATime(key: string, old: string | undefined, value = ""): readonly string[] {
  if (key === "user.marital") return ALONE.test(value) ? ["user.partner"] : [];
  if (key === "user.employer" && old === undefined && AS_A.test(value)) return [...jobsOf(key), "user.job"];
  if (HOME_ADDRESS.test(key) && townOf(value) !== undefined) return ["user.location"];
  if (key.startsWith("dated:")) return [`${key.replace("dated:", "date:")}:`];
  return ENDED_BY[key] ?? (old === undefined ? jobsOf(key) : []);
}

/** Returns the employer, or else the job, whose facts a statement about a job leaves alone. */
function sparedBy(key: string, value: string | undefined): Pick<Ending, "spares"> {
  if (HOME_ADDRESS.test(key)) return { spares: townOf(value) };
  const [, job] = AS_A.exec(value ?? "") ?? [];
  if (key === "user.employer" && job !== undefined) return { spares: job };
  if (jobsOf(key).length === 0) return {};
  const employer = key === "user.employer" ? value : EMPLOYED.exec(value ?? "")?.[1];
  return { spares: nameOf(employer) ?? value };
}

/** Returns the ending of a change: it ends the facts that name the old value. */
function endingOfOld(
  key: string,
  { old, who }: { old: string; who: string | undefined },
  { family, denials }: { family: readonly string[]; denials: readonly string[] },
): Ending {
  const others = /^(?:use|changed):/.test(key) ? NAMED_BY_CHANGES : [];
  if (who === undefined || !key.startsWith("changed:"))
    return { keys: [...family, `${key}:`, ...others, ...denials], says: old };
  // As with denials, a bare name is anybody with this name, and "my sister Ida" also "Ida".
  const name = nameIn(who);
  const lives =
    name === who
      ? ["life:"]
      : [who, name].flatMap((one) => factKey("of.life", { who: one })?.replace(/[^:]*$/u, "") ?? []);
  const notMine = others.filter((one) => !one.startsWith("user."));
  return { keys: [...family, ...notMine, ...denials, ...lives], says: old, who: name === "" ? undefined : name };
}

/** The keys of habits that end a vegetarian or vegan diet, and that such a diet ends. */
const FORBIDDEN = ["meat", "fish", "chicken"].flatMap((food) => [`do:eat-${food}`, `do:eating-${food}`]);
/** A diet and the food that it forbids end each other, and retirement ends work. */
const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  "user.unemployed": ["user.employer", "user.job@"],
  ...Object.fromEntries(FORBIDDEN.map((food) => [food, ["user.diet"]])),
  "user.diet": FORBIDDEN,
  "being:retired": ["user.job", "user.job@", "user.employer"],
};

/** Matches, behind an employer, the job: "Guardian Media as a picture editor". */
const AS_A = / as (?:an? |the )?(\p{L}+(?: \p{L}+){0,2})/u;
/** Matches the keys of the address of somebody's home. */
const HOME_ADDRESS = /^(?:user\.address|entity:address)$/u;

/**
 * Returns the town of an address of a street and a town: "Amersfoort" of "Kersenlaan 14, 3817 AB Amersfoort". Undefined
 * for other addresses: a third part may be a building or a country.
 */
function townOf(address = ""): string | undefined {
  const [street = "", place, ...others] = address.split(/, ?/u);
  if (place === undefined || others.length > 0 || !/\d/u.test(street)) return undefined;
  return /\p{Lu}\p{Ll}+(?:[ -]\p{Lu}\p{Ll}+)*$/u.exec(place.trim())?.[0];
}

/** Matches the states in which somebody has no partner. */
const ALONE = /^(?:single|divorced|separated|widowed)\b/iu;

/** Words of a habit that the next habit does not share: its days, times and numbers. */
const VARIES =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:day|end)s?|mornings?|evenings?|\d.*|one|two|three|four|five|six|to|at|on|an?|the|once|twice|every|per)$/u;
/** Verbs of habits: a person has one such thing at a time. */
const ONE_AT_A_TIME = /^(?:drive|ride|rent)$/u;

/**
 * Returns the words that the habit or possession before a new one shares with it: "I drive a Skoda now" ends
 * "I drive a Volvo", and "I go to the gym on Mondays now" a fact with "go" and "gym".
 */
function habitBefore(key: string): { kind: string; says: string } | undefined {
  const [, kind, about = ""] = /^(do|have):([^@]+)/u.exec(key) ?? [];
  if (kind === undefined) return undefined;
  const [verb = "", ...rest] = about.split("-");
  const shared = [verb, ...rest].filter((word) => !VARIES.test(word));
  return { kind, says: kind === "do" && ONE_AT_A_TIME.test(verb) ? verb : shared.join(" ") };
}

/** A value that no fact mentions. */
const NOTHING = "";

/**
 * The keys of facts that a change may be about without saying so. "I switched from Acme to Globex" may
 * be about an employer or a supplier. A fact ends only if it names the old value.
 */
const NAMED_BY_CHANGES = [
  "user.employer",
  "user.location",
  "user.address",
  "user.phone",
  "user.email",
  "entity:",
  "favourite:",
];

/**
 * Returns the keys of jobs and employments that a job with an employer or an employment ends: "I'm a nurse at
 * Lakeside" is over after "I started at Globex" or "I'm a teacher". A job alone ("I'm a nurse") may go on elsewhere.
 */
function jobsOf(key: string): string[] {
  if (key === "user.employer") return ["user.job@", "user.unemployed"];
  if (key === "user.job") return ["user.job@"];
  return key.startsWith("user.job@") ? ["user.job", "user.job@", "user.employer"] : [];
}

/** Returns the first name in a value: "St. Olav Hospital" of "nurse at St. Olav Hospital since May". */
function nameOf(value = ""): string | undefined {
  return /\p{Lu}\S*(?: \p{Lu}\S*)*/u.exec(value)?.[0];
}

function familyOf(key: string): string[] {
  return FAMILIES.find((keys) => keys.some((one) => key.startsWith(one)))?.slice() ?? [key];
}

/**
 * Adds the condition before the clause to the key: "For the app we chose Flutter" names its topic
 * at the beginning.
 */
function isAbout(key: string, parts: KeyParts, when: string | undefined): KeyParts {
  const first = key === "decision" || key === "preference" ? "topic" : "scope";
  return { ...parts, [first]: parts[first] ?? when };
}

/** Matches the keys of statements that are only kept if they describe a lasting state. */
const HELD = /^(?:user\.(?:location|employer|address|diet|job)|of\.life)$/;

function isKept({ rule: { flags, key }, own }: RuleMatch, clause: string, heard: Heard, before: string): boolean {
  if (flags.has("greeted") && !GREETED.test(before)) return false;
  if (flags.has("order") && (heard.mayBeOthers || english.ADVICE.test(clause))) return false;
  if (english.POINTING.test(own) || english.POINTS_BACK.test(clause)) return false;
  if (OF_NOW.test(key) && english.BEGUN.test(clause) && isLongAgo(clause)) return false;
  if (HELD.test(key) && english.PASSING.test(english.BEGUN.test(clause) ? clause.replace(english.WHEN, "") : clause))
    return false;
  return flags.has("lasting") || !english.ONCE.test(clause);
}

/** Matches the keys of where somebody lives and works. */
const OF_NOW = /^user\.(?:location|employer|job)$/u;
/** Matches words that put a move or the start of a job so far into the past that it says nothing about today. */
const LONG_AGO =
  /\b(?:years?|decades?|ages) ago\b|\bback in\b|\bwhen (?:I|we) (?:was|were)\b|\bas an? (?:kid|child|teenager|student|boy|girl|baby)\b|\bfor (?:university|college|uni|school|my studies)\b|\bin my (?:teens|twenties|thirties|forties|youth|childhood)\b|\b(?:and|then) (?:came|moved|went) back\b/iu;
/** The age in years up to which a move is taken for the move to the present home. */
const RECENT_YEARS = 5;
const YEAR = /\bin ((?:19|20)\d\d)\b/u;

function isLongAgo(clause: string): boolean {
  const year = Number(YEAR.exec(clause)?.[1] ?? Number.POSITIVE_INFINITY);
  return LONG_AGO.test(clause) || year < new Date().getFullYear() - RECENT_YEARS;
}

function isWorthNoting(mask: string, span: Span): boolean {
  const own = mask.slice(span.start, withoutTail(mask, span));
  if (english.ONLY_WHEN.test(own.trim())) return false;
  return own.length >= MAX_POINTING_CHARS || !english.POINTING.test(own);
}

/** Returns the statement that the user asked to remember and that matches no rule. */
function noteOf(sentence: Sentence, span: Span, trigger: "remember" | "rule"): Statement {
  const end = withoutTail(sentence.mask, span);
  const category = trigger === "rule" ? "preference" : "fact";
  return { ...placed(sentence, { start: span.start, end }), category, key: undefined, trigger };
}

/** Returns a part of a sentence as a sentence. */
export function partOf({ text, mask, places }: Sentence, start: number, end = mask.length): Sentence {
  return { text: text.slice(start, end), mask: mask.slice(start, end), places: places.slice(start, end) };
}

export function withoutLeadIns(mask: string, { start, end }: Span): Span {
  let at = start;
  for (let peeled = 0; peeled < MAX_PEELED; peeled++) at += english.LEAD_IN.exec(mask.slice(at, end))?.[0].length ?? 0;
  return { start: at, end };
}

export function withoutTail(mask: string, { start, end }: Span): number {
  let text = mask.slice(start, end).replace(STOPS, "");
  for (let peeled = 0; peeled < MAX_PEELED; peeled++) text = text.replace(english.TAIL, "").replace(STOPS, "");
  return start + text.length;
}

function placed({ text: all, places }: Sentence, { start, end }: Span, text = all.slice(start, end)) {
  const from = places[start] ?? 0;
  const [first = "", ...rest] = text.trim();
  return {
    text: first.toUpperCase() + rest.join(""),
    range: { start: from, end: (places[end - 1] ?? from) + 1 },
  };
}

/** A part of a sentence that can be a statement of its own. Positions are in the sentence; `end` is exclusive. */
interface Clause extends Span {
  /** The text between this clause and the one before: a colon, only "and", or more. */
  readonly after: "start" | "colon" | "and" | "stop";
  /** Whether the clause's subject is in the clause before. */
  readonly carried: boolean;
}

/** Matches the words between the parts of a list. */
const JOINS = /^(?: ?, ?(?:and |or )?| (?:and|or) )$/iu;

/** Cuts a sentence before every possible statement. The joining words ("and", ", because") belong to neither clause. */
function cutClauses(mask: string, conditional: boolean): Clause[] {
  const bare = conditional ? english.BARE_BREAK.exec(mask) : undefined;
  const cuts = [...mask.matchAll(english.BREAKS), ...(bare ? [bare] : [])].sort((a, b) => a.index - b.index);
  const clauses: Clause[] = [];
  let next: Omit<Clause, "end"> = { start: 0, after: "start", carried: false };
  for (const cut of cuts) {
    if (cut.index <= next.start) continue;
    if (JOINS.test(cut[0]) && english.BARE_THING.test(mask.slice(cut.index + cut[0].length))) continue;
    clauses.push({ ...next, end: cut.index });
    const carried = cut.groups?.carry !== undefined;
    const after = /[:：]/.test(cut[0]) ? "colon" : cut.groups?.weak === undefined ? "stop" : "and";
    next = { start: cut.index + cut[0].length, after, carried };
  }
  clauses.push({ ...next, end: mask.length });
  return clauses;
}
