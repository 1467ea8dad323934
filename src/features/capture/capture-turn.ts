import { AppError } from "../../base/errors.ts";
import { listFacts } from "../../db/agent/facts/fact-lists.ts";
import type { FactScope } from "../../db/agent/facts/facts.ts";
import { foldedSubject } from "../../db/agent/facts/subject.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { scopeOfRow } from "../../db/agent/schema/scope.ts";
import { scopeOfSession } from "../../db/agent/sessions/sessions.ts";
import { MAX_STATEMENT_CHARS } from "../../ingest/ask-for-facts.ts";
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
import { extractFacts, type KnownStatement } from "./reading/extract-facts.ts";
import type { FactCandidate } from "./reading/fact-candidate.ts";
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

interface Statements {
  candidates: FactCandidate[];
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
  scope: FactScope = {},
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
  const asked = extract ? await askModel(deps, agent, messages, turn, scope) : { facts: [], warnings: [] };
  const found = [...turn.candidates, ...asked.facts].map((one) => withSpeaker(one, given));
  const candidates = found.sort((a, b) => a.messageIndex - b.messageIndex || a.range.start - b.range.start);
  return { candidates, warnings: asked.warnings };
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
  const exactly = { user: scope.user ?? "", agent: scope.agent ?? "", session: scope.session ?? "" };
  const filter = { at: deps.clock(), isPresent: true, scope: exactly };
  const page = { before: undefined, limit: MAX_KNOWN };
  const rows = await withAgentReads(deps.db, agent, (tx) => listFacts(tx, agent.schema, filter, page));
  return rows.map(({ id, text, validFrom }) => ({ id, text: text.slice(0, MAX_STATEMENT_CHARS), validFrom }));
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
  const { candidates: all, warnings } = await readStatements(deps, agent, input.messages, scope);
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
