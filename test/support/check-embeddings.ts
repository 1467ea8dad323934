import type { SqlExecutor } from "../../src/db/database.ts";
import type { AgentView } from "./check-agent.ts";
import { type Charge, type MeteredProvider, TOKENS_OF_TEXT } from "./metered-provider.ts";

/** Checks that at rest no batch is open, and that no ended batch still owes a text. */
export async function checkBatches(db: SqlExecutor): Promise<string[]> {
  const { rows } = await db.executeSql<{ agent: string; status: string; items: number }>(
    `SELECT b.agent_id AS agent, b.status, count(i.hash)::int AS items FROM recollect.embedding_batches b
       LEFT JOIN recollect.embedding_batch_items i ON i.batch_id = b.id
      GROUP BY b.id HAVING b.status <> 'direct' OR count(i.hash) > 0`,
  );
  return rows.map(({ agent, status, items }) => `a batch of ${agent} is ${status} and owes ${items} texts`);
}

/**
 * Checks that each text with a vector was counted when the vector was made, for this generation or
 * an earlier one.
 */
export async function checkEmbeddingUsage({ db, tenant, agent, active, chunks }: AgentView): Promise<string[]> {
  const { rows } = await db.executeSql<{ texts: number }>(
    `SELECT coalesce(sum(texts), 0)::int AS texts FROM recollect.embedding_usage
      WHERE tenant_id = $1 AND agent_id = $2 AND model = $3 AND kind = 'document'`,
    [tenant, agent, active.model],
  );
  const counted = rows[0]?.texts ?? 0;
  const stored = new Set(chunks.filter((chunk) => chunk.embedding !== null).map((chunk) => chunk.hash)).size;
  return counted >= stored ? [] : [`${counted} texts are counted as embedded, ${stored} are stored`];
}

/**
 * Finds faults that no crash excuses: a batch left running or sent twice, and texts counted without
 * having been charged.
 */
export async function checkProvider(db: SqlExecutor, provider: MeteredProvider): Promise<string[]> {
  const running = provider.batches.filter((batch) => batch.outcome === "running").length;
  const twice = provider.batches.length - new Set(provider.batches.map((batch) => batch.token)).size;
  const counted = await countedTexts(db);
  const charged = chargedTexts(provider);
  return [
    ...(running === 0 ? [] : [`${running} batches are left running at the provider`]),
    ...(twice === 0 ? [] : [`${twice} batches were sent twice`]),
    ...(counted.texts <= charged ? [] : [`${counted.texts} texts are counted, ${charged} were charged`]),
    ...(counted.tokens === TOKENS_OF_TEXT * counted.texts
      ? []
      : [`${counted.tokens} tokens of ${counted.texts} texts are counted`]),
  ];
}

/** The time from a kill until the killed part was back, in milliseconds since 1970. */
export interface Fault {
  from: number;
  to: number;
}

/**
 * The losses of a run: the texts that it paid for without use, and the number of lost requests.
 * Agents that were erased meanwhile are left out.
 */
export interface Losses {
  /** The number of charges beyond the first for each text. */
  again: number;
  /**
   * The repeated charges for which no kill in between is an excuse, with the time between the two
   * charges.
   */
  unexplained: string[];
  /** The number of requests that must have been lost to explain the repeated charges. */
  requests: number;
  /** Texts that were charged and not counted as usage, because the answer never arrived. */
  uncounted: number;
  /**
   * Texts charged in batches whose results were not downloaded, because their index had been given
   * up.
   */
  unwanted: number;
}

/**
 * The time after a kill in which a lost request is blamed on the kill: a process may notice a
 * broken connection that much later.
 */
const AFTERMATH_MS = 5000;

export async function countLosses(
  db: SqlExecutor,
  provider: MeteredProvider,
  faults: readonly Fault[],
): Promise<Losses> {
  const isUnwanted = ({ batch }: Charge) => batch !== undefined && !provider.downloaded.has(batch.outputFile ?? "");
  const pairs = [...provider.charged]
    .filter(([text]) => !FACT.test(text))
    .flatMap(([text, charges]) => charges.slice(1).map((next, i) => ({ text, before: charges[i] as Charge, next })));
  const repeated = pairs.filter(({ before }) => !isUnwanted(before));
  const unexplained = repeated.filter(
    ({ before, next }) => !faults.some(({ from, to }) => before.at <= to + AFTERMATH_MS && from <= next.at),
  );
  return {
    again: pairs.length,
    unexplained: unexplained.map(({ text, before, next }) => {
      const since = faults.filter(({ to }) => to < before.at).map(({ to }) => before.at - to);
      return `${text.slice(0, 60)} after ${next.at - before.at} ms, the first ${Math.min(...since)} ms after a fault had ended`;
    }),
    requests: new Set(repeated.map(({ before }) => before)).size,
    uncounted: chargedTexts(provider) - (await countedTexts(db)).texts,
    unwanted: [...provider.charged.values()].flat().filter(isUnwanted).length,
  };
}

/**
 * Matches the texts of agents that are made and erased all the time: they begin with the agent's
 * name.
 */
const VISITOR = /^\S+ Visitor /;
/**
 * Matches the texts of agents that have facts. For these agents the API asks the provider itself,
 * and kills of the API are not recorded as faults here.
 */
const FACT = /\b(maple|hazel)/i;

function chargedTexts(provider: MeteredProvider): number {
  return [...provider.charged]
    .filter(([key]) => !VISITOR.test(key) && !FACT.test(key))
    .reduce((sum, [, charges]) => sum + charges.length, 0);
}

async function countedTexts(db: SqlExecutor): Promise<{ texts: number; tokens: number }> {
  const { rows } = await db.executeSql<{ texts: number; tokens: number }>(
    `SELECT coalesce(sum(texts), 0)::int AS texts, coalesce(sum(tokens), 0)::int AS tokens
       FROM recollect.embedding_usage WHERE kind = 'document' AND agent_id NOT IN ('', 'maple') AND agent_id !~ '^(visitor|hazel)'`,
  );
  return rows[0] ?? { texts: 0, tokens: 0 };
}
