import { parseSessionKey, sessionPath } from "../../agents/session-key.ts";
import { searchesSessions } from "../../agents/session-settings.ts";
import { factWithNeighbours } from "../../db/agent/facts/fact-lookup.ts";
import { type FactRow, factPath } from "../../db/agent/facts/facts.ts";
import { messagesFrom } from "../../db/agent/sessions/messages.ts";
import { readSession } from "../../db/agent/sessions/sessions.ts";
import type { AgentReads } from "../../db/agent/space/agent-transaction.ts";
import { toLines } from "../../ingest/normalise.ts";
import type { KnownAgent } from "../core/known-agent.ts";

/**
 * A fact as lines to read: its text, then what kind it is, since when it holds, what it took the place of and where it comes from.
 * Of one that is over the first line says so. Undefined: there is no such fact.
 */
export async function readFactLines(
  tx: AgentReads,
  agent: KnownAgent,
  id: string,
  now: Date,
): Promise<string[] | undefined> {
  const rows = await factWithNeighbours(tx, agent.schema, id);
  const fact = rows.find((row) => row.id === id);
  if (!fact) return undefined;
  const source = await describeSource(tx, agent, fact);
  const next = rows.find((row) => row.id === fact.supersededBy);
  const replaced = rows.filter((row) => row.supersededBy === id);
  const { user, agent: ofAgent, session } = fact;
  const scope = Object.entries({ user, agent: ofAgent, session }).filter(([, value]) => value !== "");
  const [first = "", ...others] = toLines(fact.text);
  const end = endOf(fact, now);
  return [
    ...[`${end}${first}`, ...others, ""],
    `category: ${fact.category}`,
    `holds since: ${day(fact.validFrom)}`,
    ...(fact.validTo ? [`held until: ${day(fact.validTo)}`] : []),
    ...(fact.expiresAt ? [`expires: ${day(fact.expiresAt)}`] : []),
    ...(fact.confirmedAt > fact.validFrom ? [`last said: ${day(fact.confirmedAt)}`] : []),
    ...(next ? [`replaced by: ${reference(next)}`] : []),
    ...replaced.map((one) => `replaced: ${reference(one)}`),
    ...(fact.key === null ? [] : [`key: ${fact.key}`]),
    ...(scope.length === 0 ? [] : [`for: ${scope.map((part) => part.join(" ")).join(", ")}`]),
    ...(fact.tags.length === 0 ? [] : [`tags: ${fact.tags.join(", ")}`]),
    `source: ${source}`,
  ];
}

/** What the first line of a fact that does not hold begins with. */
function endOf({ validFrom, validTo, expiresAt }: FactRow, now: Date): string {
  if (validTo && validTo <= now) return `No longer holds, since ${day(validTo)}: `;
  if (expiresAt && expiresAt <= now) return `No longer holds, expired ${day(expiresAt)}: `;
  return validFrom > now ? `Holds only from ${day(validFrom)} on: ` : "";
}

/** Another fact on one line, with the path to read it by. */
function reference({ id, text }: FactRow): string {
  return `${toLines(text).join(" ")} (${factPath(id)})`;
}

/** Where a fact comes from, with a path that `memory_get` reads where there is one. */
async function describeSource(tx: AgentReads, agent: KnownAgent, { source }: FactRow): Promise<string> {
  switch (source.kind) {
    case "call":
      return source.note === undefined ? "stored by itself" : `stored by itself, ${source.note}`;
    case "file":
      return source.startLine === undefined ? source.path : `${source.path}#L${source.startLine}`;
    case "message":
      return (await pathOfMessage(tx, agent, source)) ?? `said in the conversation ${source.session}`;
  }
}

async function pathOfMessage(
  tx: AgentReads,
  agent: KnownAgent,
  { session: key, message }: { session: string; message?: number | undefined },
): Promise<string | undefined> {
  const name = searchesSessions(agent.settings) ? sessionName(agent.agentId, key) : undefined;
  const session = name === undefined ? undefined : await readSession(tx, agent.schema, name);
  if (name === undefined || !session) return undefined;
  if (message === undefined) return `said in ${sessionPath(name)}`;
  const page = { limit: 1, least: 1, maxBytes: 1 };
  const [found] = await messagesFrom(tx, agent.schema, [{ id: session.id, fromSeq: message }], page);
  // Retention may have removed it: what follows then is not where it was said.
  return found?.seq === message
    ? `said in ${sessionPath(name)}#L${found.firstLine}`
    : `said in ${sessionPath(name)}, message ${message}`;
}

/** Who stores a fact names its source freely; what is no key of a session has no path. */
function sessionName(agentId: string, key: string): string | undefined {
  try {
    return parseSessionKey(agentId, key);
  } catch {
    return undefined;
  }
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
