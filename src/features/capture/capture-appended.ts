import { normaliseSubject } from "../../db/agent/facts/subject.ts";
import { type AgentTransaction, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Scope } from "../../db/agent/schema/scope.ts";
import { knownIdsOfSession, messagesFrom } from "../../db/agent/sessions/messages.ts";
import { readSession } from "../../db/agent/sessions/sessions.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { nothingCaptured } from "../../service/facts/captured-facts.ts";
import { prepareFacts } from "../../service/facts/store-facts.ts";
import { holdFacts, type PreparedFacts, writeFacts } from "../../service/facts/write-facts.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import type { AppendInput, MessageInput } from "../../service/sessions/append-input.ts";
import { resentPlaces } from "../../service/sessions/resent-messages.ts";
import { type CapturePlan, planWithoutFacts, type StoredMessages } from "../../service/sessions/session-hooks.ts";
import { retentionCutoff } from "../../settings/retention.ts";
import {
  CAPTURE_IS_OFF,
  captureOutput,
  factsOf,
  latestOfTurns,
  readStatements,
  type Statements,
  scopeOfNamed,
  type TurnMessage,
  withChanges,
} from "./capture-turn.ts";
import { correctsOwn } from "./reading/capture-facts.ts";
import type { FactCandidate } from "./reading/fact-candidate.ts";
import { MAX_CHARS as MAX_TURN_CHARS } from "./reading/readable-texts.ts";

/**
 * The most messages that are read together, and the most such groups of a long conversation that
 * arrives at once.
 */
const MAX_TURN_MESSAGES = 50;
const MAX_TURNS = 50;
/** The most facts of one call, the newest ones. Comparing each with all others takes 50 ms for so many. */
const MAX_FACTS = 500;

/**
 * Finds the statements in messages that a session does not have yet. Hold no transaction while
 * calling this: a chat model may be called.
 *
 * @returns undefined when nothing is to be captured
 */
export async function planCapture(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  session: string,
  { messages, capture, scope: given }: AppendInput,
): Promise<CapturePlan | undefined> {
  const { enabled, onAppend, extract } = agent.settings.facts.capture;
  if (!(capture ?? onAppend)) return undefined;
  if (!enabled) return capture ? planWithoutFacts([CAPTURE_IS_OFF]) : undefined;
  const fresh = await withoutKnown(deps, agent, session, messages);
  const turns = turnsOf([...(await correctedBefore(deps, agent, session, fresh)), ...fresh]);
  let scope: Promise<Scope> | undefined = given && Promise.resolve(given);
  const scopeOf = () => (scope ??= scopeOfNamed(deps, agent, session));
  const found = await readTurns(deps, agent, turns, scopeOf);
  const { warnings } = found;
  const read = await withChanges(deps, agent, found, messages, scopeOf);
  if (extract && turns.length > 1)
    warnings.push(
      `The chat model was asked about the newest ${turns.at(-1)?.length} messages only; rules read the others.`,
    );
  const turnOf = exchangesOf(messages);
  const all = latestOfTurns(read, (index) => turnOf[index]);
  const candidates = all.slice(-MAX_FACTS);
  if (all.length > MAX_FACTS)
    warnings.push(`Of ${all.length} statements the newest ${MAX_FACTS} became facts; send fewer messages at a time.`);
  if (candidates.length === 0) return planWithoutFacts(warnings);
  const of = { scope: await scopeOf(), session };
  const inputs = factsOf(candidates, messages, of, deps.clock());
  const statements = { candidates, prepared: await prepareFacts(deps, caller, agent, inputs), warnings };
  const write: CapturePlan["write"] = (tx, stored) => writeCaptured(deps, agent, tx, statements, stored);
  return { count: candidates.length, warnings, write };
}

/** Finds the statements in turns, without those in messages that the session has already. */
async function readTurns(
  deps: FileDeps,
  agent: KnownAgent,
  turns: readonly (readonly Indexed[])[],
  scopeOf: () => Promise<Scope>,
): Promise<Statements> {
  const all: Statements = { candidates: [], changes: [], warnings: [] };
  for (const turn of turns) {
    // One call of the model for each append: about all of its messages, or about the newest of many.
    const reader = turn === turns.at(-1) ? agent : withoutModel(agent);
    const said = turn.map(({ message }) => message);
    const { candidates, changes, warnings } = await readStatements(deps, reader, said, scopeOf);
    const placed = <T extends { messageIndex: number }>(one: T): T[] => {
      const messageIndex = turn[one.messageIndex]?.index ?? BEFORE;
      return messageIndex === BEFORE ? [] : [{ ...one, messageIndex }];
    };
    all.candidates.push(...candidates.flatMap(placed));
    all.changes.push(...changes.flatMap(placed));
    all.warnings.push(...warnings);
  }
  return all;
}

/**
 * Returns the turn of each message. A turn ends where somebody else answers, and where the time of the
 * messages changes.
 */
function exchangesOf(messages: readonly TurnMessage[]): number[] {
  let turn = 0;
  return messages.map(({ role, at }, index) => {
    const before = messages[index - 1];
    if (before && (before.role !== role || before.at?.getTime() !== at?.getTime())) turn++;
    return turn;
  });
}

type Indexed = { message: TurnMessage; index: number };

/** The position of a message that the session has already. */
const BEFORE = -1;
/** The number of last messages of a session among which the corrected one is looked for. */
const LOOK_BACK = 3;

/**
 * Returns the last messages of the session, from the user's last one on, if the new messages begin with a
 * correction of it: "Sorry, I meant Bergen". Hosts append each message when it is said.
 */
async function correctedBefore(
  deps: FileDeps,
  agent: KnownAgent,
  session: string,
  [first]: readonly Indexed[],
): Promise<Indexed[]> {
  if (first?.message.role !== "user" || !correctsOwn(first.message.own ?? first.message.text)) return [];
  const before = await withAgentReads(deps.db, agent, async (tx) => {
    const known = await readSession(tx, agent.schema, session);
    if (!known) return [];
    const from = { id: known.id, fromSeq: Math.max(1, known.lastSeq - LOOK_BACK + 1) };
    const size = { limit: LOOK_BACK, least: LOOK_BACK, maxBytes: 2 * MAX_TURN_CHARS };
    return messagesFrom(tx, agent.schema, [from], size);
  });
  const last = before.findLastIndex(({ role }) => role === "user");
  if (last === -1) return [];
  return before.slice(last).map(({ role, name, text, at }) => ({
    message: { role, name: name ?? undefined, text, at, isStored: true },
    index: BEFORE,
  }));
}

/**
 * Returns the messages that will probably be stored, with their positions. The final choice is made
 * when the session is locked.
 */
async function withoutKnown(
  deps: FileDeps,
  agent: KnownAgent,
  session: string,
  messages: readonly MessageInput[],
): Promise<Indexed[]> {
  const ids = messages.flatMap((message) => (message.role === "user" ? (message.id ?? []) : []));
  const known =
    ids.length === 0
      ? new Set<string>()
      : await withAgentReads(deps.db, agent, (tx) => knownIdsOfSession(tx, agent.schema, session, ids));
  const again =
    ids.length > 0 || messages.length < 2
      ? new Set<number>()
      : await withAgentReads(deps.db, agent, async (tx) =>
          resentPlaces(tx, await readSession(tx, agent.schema, session), messages),
        );
  const cutoff = retentionCutoff(agent.settings, deps.clock());
  return messages.flatMap((message, index) => {
    const isKnown = (message.id !== undefined && known.has(message.id)) || again.has(index);
    const isOld = cutoff !== undefined && message.at !== undefined && message.at < cutoff;
    return isKnown || isOld ? [] : [{ message, index }];
  });
}

/** Groups messages into turns. Leaves out turns without a message of the user. */
function turnsOf(messages: readonly Indexed[]): Indexed[][] {
  const turns: Indexed[][] = [];
  let chars = 0;
  for (const one of messages) {
    const size = one.message.role === "user" ? one.message.text.length : 0;
    const turn = turns.at(-1);
    if (turn && turn.length < MAX_TURN_MESSAGES && chars + size <= MAX_TURN_CHARS) turn.push(one);
    else turns.push([one]);
    chars = turns.at(-1) === turn ? chars + size : size;
  }
  return turns.filter((turn) => turn.some(({ message }) => message.role === "user")).slice(0, MAX_TURNS);
}

function withoutModel(agent: KnownAgent): KnownAgent {
  const { settings } = agent;
  const capture = { ...settings.facts.capture, extract: false };
  return { ...agent, settings: { ...settings, facts: { ...settings.facts, capture } } };
}

/** The statements that were found in messages, with their facts, ready to be stored. */
interface Found {
  candidates: readonly FactCandidate[];
  prepared: PreparedFacts;
  warnings: string[];
}

/** Writes the facts of the stored messages. Statements in other messages were captured before. */
async function writeCaptured(
  deps: FileDeps,
  agent: KnownAgent,
  tx: AgentTransaction,
  { candidates, prepared, warnings }: Found,
  { seqs, scope }: StoredMessages,
): ReturnType<CapturePlan["write"]> {
  const kept = candidates.flatMap((candidate, at) => {
    const [seq, fact] = [seqs.get(candidate.messageIndex), prepared.facts[at]];
    if (seq === undefined || !fact) return [];
    const { source } = fact.write;
    const from = source.kind === "message" ? { ...source, message: seq } : source;
    // Another append may have fixed the scope meanwhile.
    const subject = fact.write.subject ?? normaliseSubject(scope.user);
    return [{ candidate, fact: { ...fact, write: { ...fact.write, source: from, scope, subject } } }];
  });
  if (kept.length === 0) return { captured: nothingCaptured(warnings) };
  // Locked after the session: the switch to a new index takes its locks in the same order.
  await holdFacts(tx);
  const facts = kept.map((one) => one.fact);
  const written = await writeFacts(deps, agent, tx, { ...prepared, facts });
  const said = kept.map((one) => one.candidate);
  return { captured: captureOutput(said, written.stored, warnings), written };
}
