import { isOutage, reasonOf } from "../../../src/adapters/shared/outage.ts";
import { type AgentClient, createClient, type Fetch } from "../../../src/client/client.ts";
import type { Settings } from "./settings.ts";

/** An answer of the server, or the reason why there is none. */
export type Asked<T> = { answer: T } | { away: string } | { refused: string };

/** The connection to the server, shared by all agents and turns of the process. */
export interface Memory {
  /**
   * Asks the server. Ends within the time limit, and much sooner while the server is known to be
   * away. An agent that does not exist yet has an empty memory: the answer is `empty`. Never
   * rejects.
   */
  ask<T>(agentId: string, question: (client: AgentClient) => Promise<T>, options?: AskOptions<T>): Promise<Asked<T>>;
  /** Why the server did not answer the last question; undefined if it did. */
  outage(): string | undefined;
}

export interface AskOptions<T> {
  /** The answer for an agent that does not exist yet. */
  empty?: T;
  /** A time limit for work that no turn waits for. */
  timeoutMs?: number;
}

/** How long a turn waits for a server that did not answer the question before. */
const AWAY_MS = 400;
/** How long a server counts as away after it did not answer. */
const AWAY_FOR_MS = 30_000;

/** Opens the connection. Makes no request. */
export function openMemory(settings: Settings, fetch?: Fetch): Memory {
  const { url, key, timeoutMs } = settings;
  const client = createClient({ url, key, name: `the Recollect server at ${url}`, maxTries: 2, fetch });
  let outage: { reason: string; at: number } | undefined;
  const waitMs = () => (outage && Date.now() - outage.at < AWAY_FOR_MS ? Math.min(AWAY_MS, timeoutMs) : timeoutMs);
  return {
    outage: () => outage?.reason,
    ask: async (agentId, question, options = {}) => {
      const limitMs = options.timeoutMs ?? waitMs();
      const limit = AbortSignal.timeout(limitMs);
      try {
        const answer = await question(client.agent(settings.agents[agentId] ?? agentId, { signal: limit }));
        outage = undefined;
        return { answer };
      } catch (error) {
        const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
        // The server answered. It only refuses this request, for instance because of its key.
        if (status !== undefined && !isOutage(error)) {
          outage = undefined;
          const isEmpty = code === "agent_not_found" && "empty" in options;
          return isEmpty ? { answer: options.empty as never } : { refused: reasonOf(error) };
        }
        const late = `The Recollect server at ${url} did not answer within ${limitMs / 1000} s.`;
        const reason = limit.aborted ? late : reasonOf(error);
        outage = { reason, at: Date.now() };
        return { away: reason };
      }
    },
  };
}
