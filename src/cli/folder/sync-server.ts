import { setTimeout as sleep } from "node:timers/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import type { AgentStatus } from "../../client/client.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { createNoWorkerNotice } from "../shell/no-worker.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import { startProgress } from "../shell/progress.ts";
import { waitForEmbeddings } from "../shell/wait-for-embeddings.ts";

const ASK_EVERY_MS = 500;
/**
 * The time without an active sync job after which the command stops waiting. Then either no worker
 * runs, or the job fails again and again.
 */
const STALL_MS = 60_000;

/**
 * Runs `recollect sync` without a folder. Asks the server to sync the agent's own sources, waits
 * for the sync unless told not to, and prints the result.
 *
 * @returns 1 when a folder could not be read, a file could not be stored, or the sync made no
 * progress, else 0
 */
export function syncServer(context: CliContext, options: RemoteOptions & { wait: boolean }): Promise<number> {
  return withMemory(context, options, async (memory, { client }) => {
    await memory.sync();
    const isDone = options.wait && (await waitForSync(context, memory));
    const embedding = isDone
      ? await waitForEmbeddings(memory, { client, toEmbed: 0, stderr: context.stderr })
      : { stalled: false };
    const status = await memory.status();
    context.stdout.write(options.json ? `${JSON.stringify(status)}\n` : describe(context, status, options.wait));
    if (options.wait && !isDone)
      context.stderr.write(
        "The sync has not begun or keeps failing; is a worker running? See `recollect jobs list`.\n",
      );
    const failed = status.extraPaths.some((one) => one.error !== undefined || one.failed > 0);
    return options.wait && (failed || !isDone || embedding.stalled) ? 1 : 0;
  });
}

/** Waits for the agent's sync jobs. @returns whether no sync job of the agent is left */
async function waitForSync({ stderr }: CliContext, memory: AgentClient): Promise<boolean> {
  const tellOfWorker = createNoWorkerNotice(stderr);
  const progress = await startProgress(stderr, "syncing", undefined, { show: () => "" });
  let movedAt = performance.now();
  try {
    for (;;) {
      const status = await memory.status();
      const { waiting, active } = status.jobs.sync ?? { waiting: 0, active: 0 };
      if (waiting + active === 0) return true;
      tellOfWorker(status);
      if (active > 0) movedAt = performance.now();
      if (performance.now() - movedAt > STALL_MS) return false;
      await sleep(ASK_EVERY_MS);
    }
  } finally {
    progress.stop();
  }
}

function describe(context: CliContext, status: AgentStatus, waited: boolean): string {
  const { files, chunks, pendingEmbeddings, extraPaths } = status;
  const rest = pendingEmbeddings > 0 ? ` · still to embed ${pendingEmbeddings}` : "";
  const lines = extraPaths.map(({ path, error, ...counts }) => {
    const found = `files ${counts.files} · skipped ${counts.skipped} · failed ${counts.failed}`;
    const problem = error === undefined ? "" : `  ${paint("red", printableLine(error), context.colour)}`;
    return `  ${printableLine(path)}  ${found}${problem}\n`;
  });
  const none =
    lines.length > 0
      ? ""
      : "The agent has no folders on the server (setting extraPaths); this synced its conversations. To send a folder: recollect sync <folder>\n";
  return `${waited ? "synced" : "asked for"} · files ${files} · chunks ${chunks}${rest}\n${lines.join("")}${none}`;
}
