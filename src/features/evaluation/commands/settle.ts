import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { countOf } from "../../../base/text/count-of.ts";
import type { Output } from "../../../cli/shell/context.ts";
import { waitForEmbeddings } from "../../../cli/shell/wait-for-embeddings.ts";
import type { AgentClient } from "../../../client/agent-client.ts";
import type { AgentStatus, RecollectClient } from "../../../client/client.ts";
import type { Loaded } from "./load-documents.ts";

/**
 * A description of the agents' memory. The first agent's provider and model stand for all agents.
 */
export interface Memory {
  provider: string;
  model: string;
  chunks: number;
  /** Remarks about the figures, which the report shows. */
  notes: string[];
}

const POLL_MS = 500;
/**
 * The longest wait for all agents together. The jobs that follow a write begin some seconds after
 * it.
 */
const MOST_WAIT_MS = 60_000;
const EMBED = "embed";

/**
 * Waits until every chunk has its embedding and the agents' other jobs are done: if term statistics
 * changed during a run, the order of its answers would change too.
 *
 * @throws AppError `embedder_unavailable` when the embeddings do not progress
 */
export async function settle(
  client: RecollectClient,
  agents: readonly string[],
  { loaded, stderr }: { loaded: Loaded; stderr: Output },
): Promise<Memory> {
  const memory: Memory = { provider: "", model: "", chunks: 0, notes: [] };
  let patienceMs = MOST_WAIT_MS;
  for (const agent of agents) {
    const its = client.agent(agent);
    const waited = await waitForEmbeddings(its, { client, toEmbed: loaded.toEmbed.get(agent) ?? 0, stderr });
    if (waited.stalled)
      throw new AppError(
        "embedder_unavailable",
        `No embedding is made, and ${countOf(waited.left, "chunk")} of ${agent} still to embed. ${waited.trouble ?? "Is a worker running?"}`,
      );
    const started = performance.now();
    const status = await quiet(its, patienceMs);
    patienceMs -= performance.now() - started;
    memory.provider ||= status.provider;
    memory.model ||= status.model;
    memory.chunks += status.chunks;
    memory.notes.push(...notesOf(agent, status));
  }
  return memory;
}

async function quiet(its: AgentClient, patienceMs: number): Promise<AgentStatus> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const status = await its.status();
    const isBusy = Object.entries(status.jobs).some(([kind, jobs]) => kind !== EMBED && jobs.waiting + jobs.active > 0);
    if (!isBusy || performance.now() > giveUpAt) return status;
    await sleep(POLL_MS);
  }
}

function notesOf(agent: string, status: AgentStatus): string[] {
  const busy = Object.entries(status.jobs).filter(([kind, jobs]) => kind !== EMBED && jobs.waiting + jobs.active > 0);
  return [
    ...(status.pendingEmbeddings > 0
      ? [
          `${agent}: ${countOf(status.pendingEmbeddings, "chunk")} without an embedding, and the server has no embedding model.`,
        ]
      : []),
    ...(status.rejectedChunks > 0
      ? [`${agent}: the provider refused ${countOf(status.rejectedChunks, "chunk")}, found by keyword only.`]
      : []),
    ...(status.reindex.state === "none" ? [] : [`${agent}: a new index is ${status.reindex.state}.`]),
    ...busy.map(([kind]) => `${agent}: the job ${kind} was not done before the questions were asked.`),
  ];
}
