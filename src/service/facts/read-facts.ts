import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import { countBySubject, factHistory, listFacts } from "../../db/agent/facts/fact-lookup.ts";
import { readFacts } from "../../db/agent/facts/facts.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { Fact } from "./fact-schemas.ts";
import { factNotFound, presentFact } from "./present-fact.ts";
import { sourceNames } from "./source-names.ts";

/** The facts to list. */
interface FactListing extends Pick<FactFilter, "scope" | "subject" | "categories" | "tags" | "key" | "minImportance"> {
  /** The conversation or file that the facts come from: a session's key or path, or a file's path. */
  source?: string | undefined;
  /** The time at which the facts held; undefined: now. */
  asOf?: Date | undefined;
  /** Whether past facts are included. */
  all?: boolean | undefined;
}

/** Returns one page of an agent's facts, newest first. @throws AppError `agent_not_found` */
export async function listAgentFacts(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { asOf, all = false, source, ...filter }: FactListing,
  page: { before: string | undefined; limit: number },
): Promise<Fact[]> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return [];
  const at = asOf ?? (all ? undefined : deps.clock());
  const sources = source === undefined ? undefined : sourceNames(agentId, source);
  const moment = { at, isPresent: asOf === undefined };
  const rows = await withAgentReads(deps.db, agent, (tx) =>
    listFacts(tx, agent.schema, { ...filter, sources, ...moment }, page),
  );
  return rows.map(presentFact);
}

/** The people and things that facts are about. */
interface PeopleCounted {
  /** Each subject with its number of facts, the commonest first. */
  people: { subject: string; facts: number; latest: string }[];
  /** The number of facts without a subject. */
  withoutSubject: number;
}

/** Counts the facts that hold now by their subject. @throws AppError `agent_not_found` */
export async function countPeople(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { limit, scope }: { limit: number; scope: FactFilter["scope"] },
): Promise<PeopleCounted> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return { people: [], withoutSubject: 0 };
  const filter = { scope, at: deps.clock(), isPresent: true };
  return withAgentReads(deps.db, agent, async (tx) => {
    const rows = await countBySubject(tx, agent.schema, filter, limit);
    const people = rows.flatMap(({ subject, facts, latest }) =>
      subject === null ? [] : [{ subject, facts, latest: latest.toISOString() }],
    );
    return {
      people: people.slice(0, limit),
      withoutSubject: rows.find(({ subject }) => subject === null)?.facts ?? 0,
    };
  });
}

/** @throws AppError `fact_not_found`, `agent_not_found` */
export async function getFact(deps: FileDeps, caller: Caller, agentId: string, factId: string): Promise<Fact> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const [row] = agent ? await withAgentReads(deps.db, agent, (tx) => readFacts(tx, agent.schema, [factId])) : [];
  if (!row) throw factNotFound();
  return presentFact(row);
}

/**
 * Returns every version of a fact, oldest first: its predecessors, itself and its successors.
 *
 * @throws AppError `fact_not_found`, `agent_not_found`
 */
export async function getFactHistory(deps: FileDeps, caller: Caller, agentId: string, factId: string): Promise<Fact[]> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  const rows = agent ? await withAgentReads(deps.db, agent, (tx) => factHistory(tx, agent.schema, factId)) : [];
  if (rows.length === 0) throw factNotFound();
  return rows.map(presentFact);
}
