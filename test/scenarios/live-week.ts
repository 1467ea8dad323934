import type { Sitting, Turn, Week } from "./read-weeks.ts";

/** Sends one request to the service and returns the answer's body; throws if it is an error. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

interface Status {
  pendingEmbeddings: number;
  /** Whether a searched source is not indexed in its present state. */
  dirty: boolean;
  jobs: Record<string, { waiting: number; active: number }>;
}

const MINUTE_MS = 60_000;
const POLL_MS = 100;
const PATIENCE_MS = 180_000;

/**
 * Makes an agent and gives it a week's notes and facts, and then its turns in the order of days.
 *
 * @param settings the settings of the agent; by default it has none
 */
export async function liveWeek(call: Call, week: Week, settings?: object): Promise<void> {
  const agent = agentPath(week);
  await call("POST", "/v1/agents", { id: week.name, ...(settings === undefined ? {} : { settings }) });
  for (const { path, text } of week.notes) await call("PUT", `${agent}/files/${path}`, { content: text });
  await call("POST", `${agent}/facts`, { facts: week.facts });
  for (const sitting of week.sittings)
    for (const [index, turn] of sitting.turns.entries()) await tellTurn(call, agent, sitting, index, turn);
  await settled(call, agent);
}

export function agentPath(week: Week): string {
  return `/v1/agents/${week.name}`;
}

/** Does what an agent's loop does after a turn: appends the two messages to the session. */
async function tellTurn(call: Call, agent: string, sitting: Sitting, index: number, turn: Turn): Promise<void> {
  const at = (message: number) => new Date(Date.parse(sitting.at) + (2 * index + message) * MINUTE_MS).toISOString();
  const messages = [
    { role: "user", content: turn.user, at: at(0) },
    { role: "assistant", content: turn.assistant, at: at(1) },
  ];
  await call("POST", `${agent}/sessions/${encodeURIComponent(sitting.session)}/messages`, { messages });
}

/** Resolves when everything is indexed and embedded, and no job is left that could change it. */
async function settled(call: Call, agent: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { pendingEmbeddings, dirty, jobs } = await call<Status>("GET", `${agent}/status`);
    const busy = Object.values(jobs).some(({ waiting, active }) => waiting + active > 0);
    if (pendingEmbeddings === 0 && !dirty && !busy) return;
    if (Date.now() > until)
      throw new Error(`${agent} does not settle: ${JSON.stringify({ pendingEmbeddings, dirty, jobs })}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
