import type { Sitting, Turn, Week } from "./read-weeks.ts";

/** Sends one request to the service and returns the answer's body; throws when it is an error. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

interface Status {
  pendingEmbeddings: number;
  jobs: Record<string, { waiting: number; active: number }>;
}

const MINUTE_MS = 60_000;
const POLL_MS = 100;
const PATIENCE_MS = 180_000;

/** Makes an agent that nothing is configured of, and gives it a week's notes, facts and turns, in the order of days. */
export async function liveWeek(call: Call, week: Week): Promise<void> {
  const agent = agentPath(week);
  await call("POST", "/v1/agents", { id: week.name });
  for (const { path, text } of week.notes) await call("PUT", `${agent}/files/${path}`, { content: text });
  await call("POST", `${agent}/facts`, { facts: week.facts });
  for (const sitting of week.sittings)
    for (const [index, turn] of sitting.turns.entries()) await tellTurn(call, agent, sitting, index, turn);
  await embedded(call, agent);
}

export function agentPath(week: Week): string {
  return `/v1/agents/${week.name}`;
}

/** What an agent's loop does after a turn: it appends the two messages to the session and has them captured. */
async function tellTurn(call: Call, agent: string, sitting: Sitting, index: number, turn: Turn): Promise<void> {
  const at = (message: number) => new Date(Date.parse(sitting.at) + (2 * index + message) * MINUTE_MS).toISOString();
  const messages = [
    { role: "user", text: turn.user, at: at(0) },
    { role: "assistant", text: turn.assistant, at: at(1) },
  ];
  await call("POST", `${agent}/sessions/${encodeURIComponent(sitting.session)}/messages`, { messages });
  await call("POST", `${agent}/capture`, { messages });
}

/** Resolves when nothing waits for its embedding and no job is left that could index more. */
async function embedded(call: Call, agent: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { pendingEmbeddings, jobs } = await call<Status>("GET", `${agent}/status`);
    const busy = Object.values(jobs).some(({ waiting, active }) => waiting + active > 0);
    if (pendingEmbeddings === 0 && !busy) return;
    if (Date.now() > until)
      throw new Error(`${agent}: ${pendingEmbeddings} embeddings are pending, jobs: ${JSON.stringify(jobs)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
