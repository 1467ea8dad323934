import { forgetFactStates } from "../../db/agent/facts/fact-changes.ts";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import { countFacts } from "../../db/agent/facts/fact-lookup.ts";
import { findPerson, type Person } from "../../db/agent/facts/person.ts";
import {
  type AgentReads,
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { countSessionsOfUsers, deleteSessions, lockSessionsOfUsers } from "../../db/agent/sessions/sessions.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import { LIST_TIME_LIMIT } from "../core/time-limit.ts";
import { accountForgotten, deleteFiltered } from "../facts/forget-facts.ts";
import { type RemainingWords, remainingWords } from "../facts/remaining-words.ts";
import { sourceNames } from "../facts/source-names.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { noteOfSpoken, type SpokenElsewhere, spokenElsewhere } from "./spoken-elsewhere.ts";

/** The facts to forget; they meet all of the conditions. */
interface ForgetInput {
  ids?: readonly string[] | undefined;
  person?: string | undefined;
  subject?: string | undefined;
  user?: string | undefined;
  source?: string | undefined;
  /** Whether the conversations of the person or user are deleted too. */
  sessions: boolean;
  /** Whether snapshots lose the facts too. */
  snapshots: boolean;
  dryRun: boolean;
}

interface ForgottenMany extends RemainingWords {
  dryRun: boolean;
  facts: number;
  sessions: number;
  messages: number;
  forgotten: string[];
  more: boolean;
  /** Conversations of others in which the person speaks. They stay. */
  speaksIn?: SpokenElsewhere;
}

const NOTHING = { facts: 0, sessions: 0, messages: 0, forgotten: [], more: false };
/** The most conversations of one call, and the most messages, which one transaction deletes with their chunks. */
const MAX_SESSIONS = 100;
const MAX_MESSAGES = 50_000;
/** The most facts that one call deletes; see `deleteFiltered`. */
const MAX_FACTS = 5000;

/**
 * Deletes for good the facts that meet some conditions, with their earlier versions, and perhaps the
 * conversations of a user. A dry run only counts. The audit log gets the numbers and no names.
 *
 * @throws AppError as `findKnownAgent`; `forbidden` if the caller may not change snapshots
 */
export async function forgetMany(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  input: ForgetInput,
): Promise<ForgottenMany> {
  const { dryRun } = input;
  const agent = await findKnownAgent(deps, caller, input.snapshots ? "tenant" : "agent:write", agentId);
  if (!agent) return { dryRun, ...NOTHING };
  if (dryRun) return withAgentReads(deps.db, agent, (tx) => count(tx, caller, agentId, input), [LIST_TIME_LIMIT]);
  const earlier = await findReplay<ForgottenMany>(deps, caller);
  if (earlier) return earlier;
  const write = (tx: AgentTransaction) => forget(deps, caller, agent, tx, input);
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

/** What a call deletes, and the person whose words it looks for elsewhere. */
interface Wanted {
  filter: FactFilter;
  /** The users whose conversations are deleted. */
  users: readonly string[];
  speaker: Person | undefined;
}

async function findWanted(
  tx: AgentReads,
  agentId: string,
  { ids, person, subject, user, source, sessions }: ForgetInput,
): Promise<Wanted> {
  const sources = source === undefined ? undefined : sourceNames(agentId, source);
  const whom = person === undefined ? undefined : await findPerson(tx, tx.schema, person);
  const filter = { ids, person: whom, subject, scope: { user }, sources };
  if (!sessions) return { filter, users: [], speaker: undefined };
  return { filter, users: whom?.users ?? (user === undefined ? [] : [user]), speaker: whom };
}

async function count(tx: AgentReads, caller: Caller, agentId: string, input: ForgetInput): Promise<ForgottenMany> {
  const { filter, users, speaker } = await findWanted(tx, agentId, input);
  const facts = await countFacts(tx, tx.schema, filter);
  const none = { sessions: 0, messages: 0 };
  const counted = users.length === 0 ? none : await countSessionsOfUsers(tx, tx.schema, users);
  const more = facts > MAX_FACTS || counted.sessions > MAX_SESSIONS || counted.messages > MAX_MESSAGES;
  const found = { dryRun: true, facts, ...counted, forgotten: [], more };
  return { ...found, ...(await whatRemains(tx, caller, speaker, {})) };
}

/** Returns where words of the person remain. */
async function whatRemains(
  tx: AgentReads,
  caller: Caller,
  speaker: Person | undefined,
  words: RemainingWords,
): Promise<Pick<ForgottenMany, "stillIn" | "note" | "speaksIn">> {
  const speaksIn = speaker && (await spokenElsewhere(tx, caller, speaker));
  if (!speaksIn) return words;
  return { ...words, note: [words.note, noteOfSpoken(speaksIn)].filter(Boolean).join(" "), speaksIn };
}

async function forget(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  tx: AgentTransaction,
  input: ForgetInput,
): Promise<ForgottenMany> {
  const { filter, users, speaker } = await findWanted(tx, agent.agentId, input);
  // Appends lock the session first and then the facts, too.
  const { sessions, chunks, more: moreSessions } = await deleteOf(agent, tx, users);
  const { facts, more } = await deleteFiltered(deps, caller, tx, filter, { versions: true });
  const ids = facts.map(({ id }) => id);
  if (input.snapshots && ids.length > 0) await forgetFactStates(tx, agent.schema, ids);
  const sum = (of: "messages" | "bytes") => sessions.reduce((total, session) => total + session[of], 0);
  const done: ForgottenMany = {
    dryRun: false,
    facts: ids.length,
    sessions: sessions.length,
    messages: sum("messages"),
    forgotten: ids,
    more: more || moreSessions,
    ...(await whatRemains(tx, caller, speaker, await remainingWords(tx, caller, agent, facts))),
  };
  if (ids.length === 0 && sessions.length === 0) return done;
  const service = await tx.asService();
  await recordAnswer(deps, caller, service, agent.agentId, done);
  const details = { facts: ids.length, sessions: sessions.length, rule: ruleOf(input) };
  await accountForgotten(deps, service, agent, facts, { actor: caller.actor, action: "facts.forget", details });
  if (sessions.length > 0)
    await takeQuota(service, agent, { files: 0, bytes: -sum("bytes"), chunks: -chunks, facts: 0 });
  return done;
}

async function deleteOf(agent: KnownAgent, tx: AgentTransaction, users: readonly string[]) {
  if (users.length === 0) return { sessions: [], chunks: 0, more: false };
  const found = await lockSessionsOfUsers(tx, agent.schema, users, MAX_SESSIONS + 1);
  const sessions: typeof found = [];
  let messages = 0;
  for (const session of found.slice(0, MAX_SESSIONS)) {
    messages += session.messages;
    // One conversation is deleted in any case, however long it is.
    if (sessions.length > 0 && messages > MAX_MESSAGES) break;
    sessions.push(session);
  }
  const generation = await requireGeneration(tx, agent);
  const ids = sessions.map(({ id }) => id);
  const chunks = await deleteSessions(tx, agent.schema, generation.id, ids);
  return { sessions, chunks, more: found.length > sessions.length };
}

/** Returns the conditions by their names, for the audit log. */
function ruleOf({ ids, person, subject, user, source, snapshots }: ForgetInput): string {
  const named = Object.entries({ ids, person, subject, user, source }).flatMap(([name, value]) =>
    value === undefined ? [] : [name === "ids" ? "id" : name],
  );
  return `by ${named.join(" and ")}${snapshots ? ", from snapshots too" : ""}`;
}
