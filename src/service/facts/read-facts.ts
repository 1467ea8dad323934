import { AppError } from "../../base/errors.ts";
import { decodeCursor, encodeCursor, notOfAListing } from "../../base/page-cursor.ts";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import {
  countListed,
  countPeopleOf,
  type FactPlace,
  type FactSort,
  lastLookedAt,
  sortedFacts,
} from "../../db/agent/facts/fact-lists.ts";
import { factHistory } from "../../db/agent/facts/fact-lookup.ts";
import { type FactRow, readFacts } from "../../db/agent/facts/facts.ts";
import { findPerson } from "../../db/agent/facts/person.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { LIST_TIME_LIMIT } from "../core/time-limit.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { Fact } from "./fact-schemas.ts";
import { factNotFound, presentFact } from "./present-fact.ts";
import { sourceNames } from "./source-names.ts";

/** The facts to list. */
interface FactListing
  extends Pick<
    FactFilter,
    | "scope"
    | "subject"
    | "categories"
    | "tags"
    | "key"
    | "minImportance"
    | "sourceKind"
    | "contains"
    | "storedSince"
    | "storedBefore"
  > {
  /** The conversation or file that the facts come from: a session's key or path, or a file's path. */
  source?: string | undefined;
  /** Only facts about this person, or for the user of this name. */
  person?: string | undefined;
  /** The time at which the facts held; undefined: now. */
  asOf?: Date | undefined;
  /** Whether past facts are included. */
  all?: boolean | undefined;
}

/** A page of a list of facts. */
interface FactPage {
  facts: Fact[];
  nextCursor?: string;
  /** The number of all facts of the list, if it was requested. */
  total?: number;
  /** False: there were too many facts to look at all of them, and the list has at least `total`. */
  totalIsExact?: boolean;
}

/**
 * Returns one page of an agent's facts. It looks at a bounded number of facts, so a page may have
 * fewer than `limit` although others follow: `nextCursor` says so.
 *
 * @throws AppError `agent_not_found`, `invalid_request`
 */
export async function listAgentFacts(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { asOf, all = false, source, person, ...filter }: FactListing,
  page: { sort: FactSort; cursor: string | undefined; limit: number; total: boolean },
): Promise<FactPage> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  const after = placeOf(page.sort, page.cursor);
  if (!agent) return { facts: [], ...(page.total ? { total: 0, totalIsExact: true } : {}) };
  const at = asOf ?? (all ? undefined : deps.clock());
  const sources = source === undefined ? undefined : sourceNames(agentId, source);
  const read = async (tx: AgentReads) => {
    const whom = person === undefined ? undefined : await findPerson(tx, agent.schema, person);
    const wanted: FactFilter = { ...filter, person: whom, sources, at, isPresent: asOf === undefined };
    const rows = await sortedFacts(tx, agent.schema, wanted, { ...page, after, limit: page.limit + 1 });
    const next = await nextPlace(tx, wanted, rows, { ...page, after });
    const counted = page.total ? await countListed(tx, agent.schema, wanted) : undefined;
    return { rows, next, counted };
  };
  const { rows, next, counted } = await withAgentReads(deps.db, agent, read, [LIST_TIME_LIMIT]);
  return {
    facts: rows.slice(0, page.limit).map(presentFact),
    ...(next && { nextCursor: encodeCursor(cursorText(page.sort, next)) }),
    ...(counted && { total: counted.facts, totalIsExact: counted.complete }),
  };
}

/** Returns the place after which the next page begins; undefined on the last page. */
async function nextPlace(
  tx: AgentReads,
  filter: FactFilter,
  rows: readonly (FactRow & { place: string })[],
  { sort, after, limit }: { sort: FactSort; after: FactPlace | undefined; limit: number },
): Promise<FactPlace | undefined> {
  const last = rows[limit - 1];
  if (rows.length > limit && last) return { value: last.place, id: last.id };
  // A list by a value sorts the newest facts only, and ends with them.
  if (sort !== "newest" && sort !== "oldest") return undefined;
  const id = await lastLookedAt(tx, tx.schema, filter, { id: after?.id, asc: sort === "oldest" });
  return id === undefined ? undefined : { value: "", id };
}

/** The texts that a cursor's value may be, for each order. */
const VALUE = { newest: /^$/, oldest: /^$/, importance: /^\d(\.\d{1,18})?(e-[1-3]?\d)?$/, said: /^-?\d{1,18}$/ };
const PLACE = /^(oldest|importance|said) (\S{0,24}) ([1-9]\d{0,17})$/;

/** Returns a place as the text of a cursor. */
function cursorText(sort: FactSort, { value, id }: FactPlace): string {
  return sort === "newest" ? id : `${sort} ${value} ${id}`;
}

/** @throws AppError `invalid_request` */
function placeOf(sort: FactSort, cursor: string | undefined): FactPlace | undefined {
  const text = decodeCursor(cursor);
  // An empty cursor begins at the first page, as in other lists.
  if (text === "") return undefined;
  const [, of = "newest", value = "", id = text] = PLACE.exec(text) ?? [];
  if (!/^[1-9]\d{0,17}$/.test(id) || !VALUE[of as FactSort].test(value)) throw notOfAListing();
  if (of !== sort)
    throw new AppError("invalid_request", "The cursor is from a list in another order; start again without it.");
  return { value, id };
}

/** The people and things that facts are about. */
interface PeopleCounted {
  /** Each subject with its number of facts, the commonest first. */
  people: { subject: string; facts: number; latest: string }[];
  /** The number of facts without a subject. */
  withoutSubject: number;
  /** The users who have facts, with the number of facts. The user with the most facts is first. */
  users: { user: string; subject: string | null; facts: number; latest: string }[];
  /** The number of facts that are for everybody. */
  withoutUser: number;
  /** False: there were too many facts to look at all of them, and the numbers are least ones. */
  complete: boolean;
}

/** Counts the facts that hold now by their subject, and by their user. @throws AppError `agent_not_found` */
export async function countPeople(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { limit, scope }: { limit: number; scope: FactFilter["scope"] },
): Promise<PeopleCounted> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  if (!agent) return { people: [], withoutSubject: 0, users: [], withoutUser: 0, complete: true };
  const filter = { scope, at: deps.clock(), isPresent: true };
  const read = async (tx: AgentReads) => ({
    bySubject: await countPeopleOf(tx, agent.schema, "subject", filter, limit),
    byUser: await countPeopleOf(tx, agent.schema, "user", filter, limit),
  });
  const { bySubject, byUser } = await withAgentReads(deps.db, agent, read, [LIST_TIME_LIMIT]);
  const split = ({ rows }: typeof byUser) => ({
    named: rows.filter(({ name }) => name !== "").slice(0, limit),
    others: rows.find(({ name }) => name === "")?.facts ?? 0,
  });
  const [subjects, users] = [split(bySubject), split(byUser)];
  return {
    people: subjects.named.map(({ name, facts, latest }) => ({ subject: name, facts, latest: latest.toISOString() })),
    withoutSubject: subjects.others,
    users: users.named.map(({ name, subject, facts, latest }) => ({
      user: name,
      subject,
      facts,
      latest: latest.toISOString(),
    })),
    withoutUser: users.others,
    complete: bySubject.complete,
  };
}

/** @throws AppError `fact_not_found`, `agent_not_found` */
export async function getFact(deps: FileDeps, caller: Caller, agentId: string, factId: string): Promise<Fact> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
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
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  const rows = agent ? await withAgentReads(deps.db, agent, (tx) => factHistory(tx, agent.schema, factId)) : [];
  if (rows.length === 0) throw factNotFound();
  return rows.map(presentFact);
}
