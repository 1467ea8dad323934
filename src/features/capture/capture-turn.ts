import { createYielder } from "../../base/cooperative-yield.ts";
import { AppError } from "../../base/errors.ts";
import { listFacts } from "../../db/agent/facts/fact-lists.ts";
import type { FactRow, FactScope } from "../../db/agent/facts/facts.ts";
import { foldedSubject, ownerOf } from "../../db/agent/facts/subject.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { scopeOfRow } from "../../db/agent/schema/scope.ts";
import { scopeOfSession } from "../../db/agent/sessions/sessions.ts";
import { MAX_STATEMENT_CHARS } from "../../ingest/ask-for-facts.ts";
import { wordsBetweenSpaces } from "../../relevance/words/statements.ts";
import { findOrCreateAgent } from "../../service/agent/create-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import {
  type CapturedFact,
  type CaptureOutput,
  noteCapture,
  nothingCaptured,
} from "../../service/facts/captured-facts.ts";
import type { StoredFact } from "../../service/facts/fact-schemas.ts";
import { type FactInput, storeFacts } from "../../service/facts/store-facts.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { withZonedTimes } from "../../service/sessions/message-schemas.ts";
import { wholeSessionKey } from "../../settings/memory-path.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import { READ_TURN } from "./read-turn.ts";
import type { ReadTurn } from "./read-turn.worker.ts";
import { comparable, statementOf } from "./reading/changes.ts";
import { extractFacts, type KnownStatement } from "./reading/extract-facts.ts";
import type { FactCandidate } from "./reading/fact-candidate.ts";
import type { Change } from "./reading/read-change.ts";
import type { CaptureMessage } from "./reading/readable-texts.ts";

export interface TurnMessage {
  /**
   * The role of the speaker. Only messages of `user` are captured; the others are context for a
   * model.
   */
  role: string;
  /** The name of the speaker, in a conversation of several people. */
  name?: string | undefined;
  text: string;
  /** The speaker's own words, without tool output and attachments; by default the whole text. */
  own?: string | undefined;
  /**
   * The time of the message. A message that is sent again with the same time is captured once, even
   * if another message has contradicted it since.
   */
  at?: Date | undefined;
  /** Whether `at` is what clocks show in the agent's time zone (`MessageInput`). */
  isClockTime?: boolean | undefined;
  /** Whether it was captured before, and only a correction may refer to it. */
  isStored?: boolean | undefined;
}

/** The scope of the facts, and the session that they come from. */
interface CaptureOrigin {
  scope?: FactScope | undefined;
  session?: string | undefined;
}

export interface Statements {
  candidates: FactCandidate[];
  /** The changes that become statements only if they are about a fact that holds (`withChanges`). */
  changes: Change[];
  warnings: string[];
}

export const CAPTURE_IS_OFF = "Nothing was captured: facts.capture.enabled is off for this agent.";

/**
 * The longest wait for the chat model. A capture may take longer than a search, and a model that
 * writes needs longer than one that grades.
 */
const EXTRACT_TIMEOUT_MS = 30_000;

/**
 * Finds the user's statements in messages by rules, and also by the chat model if the agent's
 * settings say so. Returns them in the order in which they were said. When the model is
 * unavailable, only the rules are used, with a warning. Hold no transaction while calling this.
 */
export async function readStatements(
  deps: FileDeps,
  agent: KnownAgent,
  given: readonly TurnMessage[],
  scopeOf: () => Promise<FactScope>,
): Promise<Statements> {
  const { extract } = agent.settings.facts.capture;
  const messages = given.map(({ role, name, at, isStored, text, own = text }) => ({
    role,
    name,
    at,
    isStored,
    text: role === "user" ? own : text,
  }));
  const turn = await deps.preparer.run(agent.tenantId, READ_TURN, { messages });
  const asked = extract ? await askModel(deps, agent, messages, turn, await scopeOf()) : { facts: [], warnings: [] };
  const candidates = [...turn.candidates, ...asked.facts].map((one) => withSpeaker(one, given)).sort(inOrder);
  // A model has seen the known facts, and says itself what changes them.
  return { candidates, changes: extract ? [] : turn.changes, warnings: asked.warnings };
}

function inOrder(one: FactCandidate, other: FactCandidate): number {
  return one.messageIndex - other.messageIndex || one.range.start - other.range.start;
}

/** The most known facts, the newest of a scope, that a change may be about. */
const MAX_CHANGEABLE = 200;
/** The most changes of a call, the newest ones. */
const MAX_CHANGES = 50;

/**
 * Returns the given statements, and a statement for each change of a fact that holds. This statement ends the fact.
 *
 * @param messages the messages that the indexes of candidates and changes count
 */
export async function withChanges(
  deps: FileDeps,
  agent: KnownAgent,
  { candidates, changes }: Pick<Statements, "candidates" | "changes">,
  messages: readonly TurnMessage[],
  scopeOf: () => Promise<FactScope>,
): Promise<FactCandidate[]> {
  if (changes.length === 0 && !candidates.some(mayBeOfHome)) return candidates;
  const scope = await scopeOf();
  const stored = (await openFacts(deps, agent, scope, MAX_CHANGEABLE)).map((fact) => ({
    ...comparable({ id: fact.id, text: fact.text, key: fact.key ?? undefined }),
    owner: ownerOf({ subject: fact.subject, scope }),
    validFrom: fact.validFrom,
  }));
  // A statement that is stored already is compared as the stored fact.
  const texts = new Set(stored.map(({ text }) => text));
  const speakerOf = ({ subject }: Pick<FactCandidate, "subject">) => ownerOf({ subject: subject ?? null, scope });
  const homes = stored.filter(({ key = "" }) => HOME.test(key));
  const said = candidates.map((given) => {
    const mine = homes.filter(({ owner }) => owner === speakerOf(given)).map(({ text }) => text);
    const earlier = candidates
      .filter((one) => HOME.test(one.key ?? "") && one.messageIndex < given.messageIndex)
      .filter((one) => speakerOf(one) === speakerOf(given))
      .map(({ text }) => text);
    const one = asHome(given, [...mine, ...earlier]);
    return { ...comparable(one), one };
  });
  const rest = createYielder();
  for (const change of changes.slice(-MAX_CHANGES)) {
    await rest();
    const [at, speaker] = [messages[change.messageIndex]?.at ?? deps.clock(), speakerOf(change)];
    const earlier = said.filter(({ one }) => one.messageIndex < change.messageIndex && speakerOf(one) === speaker);
    const ended = new Set(earlier.flatMap(({ one }) => one.ends?.texts ?? []));
    const before = earlier.filter(({ text }) => !ended.has(text) && !texts.has(text));
    const over = new Set(before.flatMap(({ one: { key, ends } }) => [...(key ? [key] : []), ...(ends?.ids ?? [])]));
    const holding = stored.filter(
      ({ id = "", key = "", owner, validFrom }) =>
        owner === speaker && validFrom <= at && !over.has(id) && !over.has(key),
    );
    const statement = statementOf(change, [...holding, ...before]);
    if (!statement) continue;
    const place = said.findIndex(({ one }) => overlaps(one, statement));
    const read = said[place]?.one;
    const one = read ? endingBoth(read, statement) : statement;
    said.splice(read ? place : said.length, read ? 1 : 0, { ...comparable(one), one });
  }
  return said.map(({ one }) => one).sort(inOrder);
}

/** Matches the keys of where somebody lives. */
const HOME = /^user\.(?:location|address)$/u;

/** Returns whether a statement may tell of a new home: "We moved from Oslo to Drammen" has the form of a change of tools. */
function mayBeOfHome({ key = "", text, ends }: FactCandidate): boolean {
  return key.startsWith("use:") && ends?.says !== undefined && /^We (?:have |just )?moved\b/iu.test(text);
}

/** Returns a change as one of the home if a known home names what was left. */
function asHome(one: FactCandidate, homes: readonly string[]): FactCandidate {
  // The texts are compared word by word, because the name "Chicago" contains the letters of the name "Go".
  const left = wordsBetweenSpaces(one.ends?.says ?? "");
  const isHome =
    mayBeOfHome(one) && left.trim() !== "" && homes.some((text) => wordsBetweenSpaces(text).includes(left));
  return isHome ? { ...one, key: "user.location" } : one;
}

const CONTACT = /^user\.(?:email|phone)$/u;

/** Returns the statement of a rule, which then also ends the facts that the change in the same sentence ends. */
function endingBoth(given: FactCandidate, { ends, key }: FactCandidate): FactCandidate {
  // "Use b@x.org from now on" has the key of a choice, and is the speaker's address.
  const read = CONTACT.test(key ?? "") ? { ...given, key } : given;
  if (!read.ends) return { ...read, ends };
  const both = <T>(one: readonly T[] = [], other: readonly T[] = []) => [...one, ...other];
  const [ids, texts] = [both(read.ends.ids, ends?.ids), both(read.ends.texts, ends?.texts)];
  return { ...read, ends: { ...read.ends, ids, texts } };
}

/** Returns a statement with its speaker as the subject, unless it is about somebody else. */
function withSpeaker(candidate: FactCandidate, messages: readonly TurnMessage[]): FactCandidate {
  const name = messages[candidate.messageIndex]?.name;
  return candidate.subject !== undefined || name === undefined ? candidate : { ...candidate, subject: name };
}

async function askModel(
  deps: FileDeps,
  agent: KnownAgent,
  messages: readonly CaptureMessage[],
  { candidates, own }: ReadTurn,
  scope: FactScope,
): Promise<{ facts: FactCandidate[]; warnings: string[] }> {
  // A turn without words of the user needs no model.
  if (own.every((text) => !/\p{L}/u.test(text))) return { facts: [], warnings: [] };
  try {
    const chat = deps.models.chat(agent.settings.facts.capture.model);
    const request = { messages, own, known: await knownStatements(deps, agent, scope), now: deps.clock() };
    const { facts, dropped } = await extractFacts(chat, request, AbortSignal.timeout(EXTRACT_TIMEOUT_MS));
    if (dropped > 0) deps.logger.info({ agentId: agent.agentId, dropped }, "a chat model's facts were left out");
    // A statement that the rules found has a key and the user's words, so the model's version is
    // dropped.
    return { facts: facts.filter((fact) => !candidates.some((one) => overlaps(one, fact))), warnings: [] };
  } catch (error) {
    const code = error instanceof AppError ? error.code : "model_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId }, "no facts from the chat model; the rules alone");
    const why = error instanceof AppError ? error.message : `It took longer than ${EXTRACT_TIMEOUT_MS} ms.`;
    return { facts: [], warnings: [`The chat model was left out; only the rules were used. ${why}`] };
  }
}

/** The most known facts, the newest of a scope, that a chat model is shown. */
const MAX_KNOWN = 40;

/** Returns the open facts that a statement in this scope can confirm, change or end. */
async function knownStatements(deps: FileDeps, agent: KnownAgent, scope: FactScope): Promise<KnownStatement[]> {
  const rows = await openFacts(deps, agent, scope, MAX_KNOWN);
  return rows.map(({ id, text, validFrom }) => ({ id, text: text.slice(0, MAX_STATEMENT_CHARS), validFrom }));
}

/** Returns the newest facts of exactly this scope that hold now. */
function openFacts(deps: FileDeps, agent: KnownAgent, scope: FactScope, limit: number): Promise<FactRow[]> {
  const exactly = { user: scope.user ?? "", agent: scope.agent ?? "", session: scope.session ?? "" };
  const filter = { at: deps.clock(), isPresent: true, scope: exactly };
  return withAgentReads(deps.db, agent, (tx) => listFacts(tx, agent.schema, filter, { before: undefined, limit }));
}

function overlaps(one: FactCandidate, other: FactCandidate): boolean {
  if (one.messageIndex !== other.messageIndex) return false;
  return one.range.start < other.range.end && other.range.start < one.range.end;
}

/**
 * Keeps the last statement of each key and subject in each turn, which is the one that the user means.
 * If all of a turn were stored, each would be new whenever the messages are sent again.
 *
 * @param turnOf returns the turn of a message, by the message's index
 */
export function latestOfTurns(
  candidates: readonly FactCandidate[],
  turnOf: (messageIndex: number) => unknown,
): FactCandidate[] {
  const nameOf = ({ key, text, subject, messageIndex }: FactCandidate) =>
    JSON.stringify([turnOf(messageIndex), key ?? null, key ?? text.toLowerCase(), foldedSubject(subject)]);
  const last = new Map(candidates.map((one) => [nameOf(one), one]));
  return candidates.filter((one) => last.get(nameOf(one)) === one);
}

/**
 * Turns candidates into facts to store. A fact begins at the time of its message, unless that time
 * is missing or in the future.
 */
export function factsOf(
  candidates: readonly FactCandidate[],
  messages: readonly TurnMessage[],
  { scope, session }: CaptureOrigin,
  now: Date,
): FactInput[] {
  return candidates.map((one) => {
    const { text, subject, category, importance, key, ends, restates, trigger, messageIndex } = one;
    const at = one.validFrom ?? messages[messageIndex]?.at;
    const begin = at !== undefined && at <= now ? at : undefined;
    const isOver = one.expiresAt !== undefined && one.expiresAt <= (begin ?? now);
    return {
      text,
      // In a conversation without names, the user of its scope is the speaker.
      subject: subject ?? scope?.user,
      category,
      importance,
      key,
      ends,
      restates,
      scope,
      validFrom: begin,
      expiresAt: isOver ? undefined : one.expiresAt,
      tags: ["capture"],
      source: session === undefined ? { kind: "call", note: `capture: ${trigger}` } : { kind: "message", session },
    };
  });
}

/** Returns the answer about candidates, with the result of storing them if they were stored. */
export function captureOutput(
  candidates: readonly FactCandidate[],
  stored: readonly StoredFact[],
  warnings: string[],
): CaptureOutput {
  const facts = candidates.map(
    ({ text, subject, category, key, trigger }, index): CapturedFact => ({
      text,
      ...(subject === undefined ? {} : { subject }),
      category,
      ...(key === undefined ? {} : { key }),
      trigger,
      superseded: [],
      ...stored[index],
    }),
  );
  const count = (status: string) => facts.filter((fact) => fact.status === status).length;
  const superseded = facts.reduce((sum, fact) => sum + fact.superseded.length, 0);
  return { facts, stored: count("stored"), duplicates: count("duplicate"), superseded, warnings };
}

interface TurnInput {
  messages: readonly TurnMessage[];
  /** The scope of the facts; by default the scope of the session, if there is one. */
  scope?: FactScope | undefined;
  /** The session's key, recorded as the source of the facts. */
  session?: string | undefined;
  dryRun?: boolean | undefined;
}

/**
 * Captures the user's statements in a turn. No transaction is open while the turn is read. The
 * facts are stored all or nothing, and the same messages store nothing a second time.
 *
 * @throws as `findOrCreateAgent` and `storeFacts`
 */
export async function captureTurn(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  given: TurnInput,
): Promise<CaptureOutput> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const input = { ...given, messages: withZonedTimes(given.messages, settingsZone(agent.settings)) };
  if (!agent.settings.facts.capture.enabled) return nothingCaptured([CAPTURE_IS_OFF]);
  const scope = input.scope ?? (await scopeOfNamed(deps, agent, input.session));
  const scopeOf = async () => scope;
  const read = await readStatements(deps, agent, input.messages, scopeOf);
  const all = await withChanges(deps, agent, read, input.messages, scopeOf);
  const { warnings } = read;
  // The messages are one turn, or several if they were said at several times.
  const candidates = latestOfTurns(all, (index) => input.messages[index]?.at?.getTime());
  if (input.dryRun) return captureOutput(candidates, [], warnings);
  const origin = { scope, session: input.session };
  const stored = await storeFacts(deps, caller, agent, factsOf(candidates, input.messages, origin, deps.clock()));
  const captured = captureOutput(candidates, stored, warnings);
  noteCapture(deps, caller, agent, captured);
  return captured;
}

/**
 * Returns the scope of a session that a caller names: statements in a user's conversation are for
 * this user. The session need not exist, since the name may be any text.
 */
export async function scopeOfNamed(deps: FileDeps, agent: KnownAgent, session = ""): Promise<FactScope> {
  const prefix = wholeSessionKey(agent.agentId, "");
  const key = session.startsWith(prefix) ? session.slice(prefix.length) : session;
  if (key === "") return {};
  const found = await withAgentReads(deps.db, agent, (tx) => scopeOfSession(tx, agent.schema, key.normalize("NFC")));
  return found ? scopeOfRow(found) : {};
}
