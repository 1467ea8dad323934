import type { FactCategory } from "../../db/agent/facts/facts.ts";
import { factKey, type KeyParts } from "./fact-key.ts";
import type { CaptureRule, KeyKind, LanguageRules } from "./language-rules.ts";
import type { Sentence } from "./sentences.ts";

/** The part of a sentence that is worth keeping, with its positions in the message. */
export interface Statement {
  readonly text: string;
  readonly category: FactCategory;
  readonly key: string | undefined;
  readonly trigger: string;
  readonly range: { readonly start: number; readonly end: number };
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

/**
 * Returns the statements that the rules of one language find in a sentence; none for a question.
 */
export function readSentence(sentence: Sentence, language: LanguageRules): Statement[] {
  const { mask } = sentence;
  const begin = withoutLeadIns(mask, { start: 0, end: mask.length }, language).start;
  const conditional = language.condition.test(mask.slice(begin));
  const asks = ENDS_IN_QUESTION.test(mask);
  if (language.question.test(mask.slice(begin)) || (asks && conditional)) return [];

  const whole = asks ? undefined : readWhole(sentence, begin, language);
  if (whole) return [whole];

  const stated: Statement[] = [];
  /** A request to remember something that no rule matches. All of it becomes one statement. */
  let noted: Span | undefined;
  let remembers = false;
  let previous: Read | undefined;
  const clauses = cutClauses(mask, language, conditional);
  for (const [index, clause] of (asks ? clauses.slice(0, -1) : clauses).entries()) {
    const heard = hear(mask, clause, language, previous);
    const statement = heard && readClause(sentence, heard, conditional && index > 0 ? begin : undefined, language);
    previous = heard && { ...heard, captured: statement !== undefined };
    if (!heard) continue;
    remembers ||= heard.remember;
    if (statement) stated.push(statement);
    else if (remembers) noted = { start: noted?.start ?? heard.start, end: heard.end };
  }
  return [...stated, ...noteOf(sentence, noted, language)];
}

interface Heard extends Span {
  /**
   * The start of the statement's text. It includes the lead-in ("Meanwhile") when the verb comes
   * first.
   */
  readonly told: number;
  readonly subject: string;
  readonly remember: boolean;
  /** Whether the clause may be the second half of a statement about somebody else. */
  readonly mayBeOthers: boolean;
}

interface Read extends Heard {
  readonly captured: boolean;
}

/**
 * Returns whether the clause is the speaker's own. It is not when somebody else says it, or when
 * the text before its colon does not announce the speaker's own words.
 */
function isOwn(mask: string, clause: Clause, language: LanguageRules): boolean {
  const before = mask.slice(0, clause.start);
  if (clause.start > 0 && language.reported.test(before)) return false;
  if (clause.after === "colon" && !language.ownColon.test(before) && !language.remember.test(before)) return false;
  return !language.reportedAfter.test(mask.slice(clause.end));
}

function hear(mask: string, clause: Clause, language: LanguageRules, previous: Read | undefined): Heard | undefined {
  if (!isOwn(mask, clause, language)) return undefined;
  const carries =
    previous !== undefined && (previous.subject !== "" || language.withSubject.test(mask.slice(previous.start)));
  if (clause.carried && !carries) return undefined;
  let span = withoutLeadIns(mask, clause, language);
  const match = language.remember.exec(mask.slice(span.start, span.end));
  if (match) span = withoutLeadIns(mask, { ...span, start: span.start + match[0].length }, language);
  const last = language.rememberAtEnd?.exec(mask.slice(span.start, withoutTail(mask, span, language)));
  if (last?.groups?.value !== undefined) span = { ...span, end: span.start + last.groups.value.length };
  const own = mask.slice(span.start, span.end);
  return {
    ...span,
    told: language.inverted?.test(own) && !match ? clause.start : span.start,
    subject: clause.carried ? language.subject : "",
    remember: (match ?? last ?? null) !== null || isAnnounced(mask, clause, language),
    mayBeOthers: clause.after === "and" && previous?.captured !== true,
  };
}

/**
 * Returns whether only a request to remember stands before the clause: "Please remember: …",
 * "Remember, …".
 */
function isAnnounced(mask: string, { start }: Clause, language: LanguageRules): boolean {
  const begin = withoutLeadIns(mask, { start: 0, end: start }, language).start;
  const match = start > begin ? language.remember.exec(mask.slice(begin)) : null;
  return match !== null && begin + match[0].length === start;
}

/** Reads the whole sentence with the rules for whole sentences: "When I say X, do Y". */
function readWhole(sentence: Sentence, begin: number, language: LanguageRules): Statement | undefined {
  const { mask } = sentence;
  if (!language.wholeRules) return undefined;
  const heard = hear(mask, { start: begin, end: mask.length, after: "start", carried: false }, language, undefined);
  return heard && readClause(sentence, heard, undefined, language, language.wholeRules);
}

/**
 * Returns the statement of the first rule that matches. If that statement cannot be kept, no other
 * rule is tried.
 */
function readClause(
  sentence: Sentence,
  heard: Heard,
  condition: number | undefined,
  language: LanguageRules,
  rules = language.rules,
): Statement | undefined {
  const end = withoutTail(sentence.mask, heard, language);
  const clause = heard.subject + sentence.mask.slice(heard.start, end);
  for (const rule of rules) {
    const match = rule.pattern.exec(clause);
    if (!match) continue;
    const parts = partsOf(match, heard.subject + sentence.text.slice(heard.start, end));
    if (rule.who && !rule.who.test(parts.who ?? "")) continue;
    const when = condition === undefined ? undefined : sentence.text.slice(condition, heard.start);
    if (!isKept(rule, parts, match.groups ?? {}, `${when ?? ""}${clause}`, heard, language)) return undefined;
    const stop = rule.cut ? heard.start + match[0].length - heard.subject.length : end;
    const text = heard.subject === "" ? undefined : heard.subject + sentence.text.slice(heard.start, stop);
    return {
      ...placed(sentence, { start: condition ?? heard.told, end: stop }, text),
      category: rule.category,
      key: rule.key && factKey(rule.key, isAbout(rule.key, parts, when), language),
      trigger: rule.trigger,
    };
  }
  return undefined;
}

/** Returns the texts of the groups, in the speaker's own characters. */
function partsOf({ indices }: RegExpExecArray, text: string): KeyParts {
  const original = (name: string) => {
    const [from, to] = indices?.groups?.[name] ?? [0, 0];
    return to === 0 ? undefined : text.slice(from, to);
  };
  return {
    value: original("value"),
    topic: original("topic"),
    other: original("other"),
    scope: original("scope"),
    who: original("who"),
  };
}

/**
 * Adds the condition before the clause to the key: "For the app we chose Flutter" names its topic
 * at the beginning.
 */
function isAbout(key: KeyKind, parts: KeyParts, when: string | undefined): KeyParts {
  const first = key === "decision" || key === "preference" ? "topic" : "scope";
  return { ...parts, [first]: parts[first] ?? when };
}

function isKept(
  rule: CaptureRule,
  parts: KeyParts,
  masked: Readonly<Record<string, string | undefined>>,
  clause: string,
  heard: Heard,
  { pointing, once }: LanguageRules,
): boolean {
  if (rule.imperative && heard.mayBeOthers) return false;
  if (rule.value && !rule.value.test(parts.value ?? "")) return false;
  if (pointing.test(masked.value ?? "")) return false;
  return rule.lasting === true || !once.test(clause);
}

/** Returns the statement that the user asked to remember and that matches no rule. */
function noteOf(sentence: Sentence, noted: Span | undefined, language: LanguageRules): Statement[] {
  if (!noted) return [];
  const end = withoutTail(sentence.mask, noted, language);
  const own = sentence.mask.slice(noted.start, end);
  if (own.length < MAX_POINTING_CHARS && language.pointing.test(own)) return [];
  return [{ ...placed(sentence, { start: noted.start, end }), category: "fact", key: undefined, trigger: "remember" }];
}

function withoutLeadIns(mask: string, span: Span, { leadIn }: LanguageRules): Span {
  let { start } = span;
  for (let peeled = 0; peeled < MAX_PEELED; peeled++) {
    const match = leadIn.exec(mask.slice(start, span.end));
    if (!match || match[0].length === 0) break;
    start += match[0].length;
  }
  return { start, end: span.end };
}

function withoutTail(mask: string, span: Span, { tail }: LanguageRules): number {
  let text = mask.slice(span.start, span.end).replace(STOPS, "");
  for (let peeled = 0; peeled < MAX_PEELED; peeled++) {
    const shorter = text.replace(tail, "").replace(STOPS, "");
    if (shorter === text) break;
    text = shorter;
  }
  return span.start + text.length;
}

function placed(sentence: Sentence, span: Span, text = sentence.text.slice(span.start, span.end)) {
  const start = sentence.places[span.start] ?? 0;
  const end = (sentence.places[span.end - 1] ?? start) + 1;
  return { text: capitalised(text.trim()), range: { start, end } };
}

function capitalised(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/**
 * A part of a sentence that can be a statement of its own. Positions are in the sentence; `end` is
 * exclusive.
 */
interface Clause {
  readonly start: number;
  readonly end: number;
  /** The text between this clause and the one before: a colon, only "and", or more. */
  readonly after: "start" | "colon" | "and" | "stop";
  /** Whether the clause's subject is in the clause before. */
  readonly carried: boolean;
}

/**
 * Cuts a sentence before every possible statement. The joining words ("and", ", because") belong to
 * neither clause.
 */
function cutClauses(mask: string, { breaks, bareBreak }: LanguageRules, conditional: boolean): Clause[] {
  const bare = conditional ? bareBreak?.exec(mask) : undefined;
  const cuts = [...mask.matchAll(breaks), ...(bare ? [bare] : [])].sort((a, b) => a.index - b.index);
  const clauses: Clause[] = [];
  let next: Omit<Clause, "end"> = { start: 0, after: "start", carried: false };
  for (const cut of cuts) {
    if (cut.index <= next.start) continue;
    clauses.push({ ...next, end: cut.index });
    const carried = cut.groups?.carry !== undefined;
    const after = /[:：]/.test(cut[0]) ? "colon" : cut.groups?.weak === undefined ? "stop" : "and";
    next = { start: cut.index + cut[0].length, after, carried };
  }
  clauses.push({ ...next, end: mask.length });
  return clauses;
}
