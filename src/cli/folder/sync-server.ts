import { setTimeout as sleep } from "node:timers/promises";
import { agentPath, callApi } from "../shell/api-client.ts";
import type { CliContext, Connection, RemoteOptions } from "../shell/context.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import { waitForEmbeddings } from "../shell/wait-for-embeddings.ts";

/** What of an agent's status a sync of the server's own is about. */
interface SyncStatus {
  files: number;
  chunks: number;
  pendingEmbeddings: number;
  extraPaths: { path: string; files: number; skipped: number; failed: number; error?: string }[];
  jobs: Partial<Record<string, { waiting: number; active: number }>>;
}

const ASK_EVERY_MS = 500;
/** A sync that waits for so long waits for a worker that is not there, or fails again and again. */
const STALL_MS = 60_000;

/**
 * `recollect sync` without a folder: has the server sync what it knows itself, waits for it unless told not to, and prints
 * what it found.
 *
 * @returns 1 when a folder could not be read, a file not be stored, or nothing moved, else 0
 */
export async function syncServer(context: CliContext, options: RemoteOptions & { wait: boolean }): Promise<number> {
  const connection = await context.connect(options);
  try {
    await callApi(connection, "POST", agentPath(options.agent, "sync"), {});
    const isDone = options.wait && (await waitForSync(connection, options.agent));
    if (isDone) await waitForEmbeddings(connection, options.agent, { toEmbed: 0, stderr: context.stderr });
    const status = await readStatus(connection, options.agent);
    context.stdout.write(options.json ? `${JSON.stringify(status)}\n` : describe(context, status, options.wait));
    if (options.wait && !isDone)
      context.stderr.write(
        "The sync has not begun or goes on failing; is a worker running? See `recollect jobs list`.\n",
      );
    const failed = status.extraPaths.some((one) => one.error !== undefined || one.failed > 0);
    return options.wait && (failed || !isDone) ? 1 : 0;
  } finally {
    await connection.close();
  }
}

function readStatus(connection: Connection, agent: string): Promise<SyncStatus> {
  return callApi<SyncStatus>(connection, "GET", agentPath(agent, "status"));
}

/** @returns whether no sync of the agent is left */
async function waitForSync(connection: Connection, agent: string): Promise<boolean> {
  let movedAt = performance.now();
  for (;;) {
    const { waiting, active } = (await readStatus(connection, agent)).jobs.sync ?? { waiting: 0, active: 0 };
    if (waiting + active === 0) return true;
    if (active > 0) movedAt = performance.now();
    if (performance.now() - movedAt > STALL_MS) return false;
    await sleep(ASK_EVERY_MS);
  }
}

function describe(context: CliContext, status: SyncStatus, waited: boolean): string {
  const { files, chunks, pendingEmbeddings, extraPaths } = status;
  const rest = pendingEmbeddings > 0 ? ` · still to embed ${pendingEmbeddings}` : "";
  const lines = extraPaths.map(({ path, error, ...counts }) => {
    const found = `files ${counts.files} · skipped ${counts.skipped} · failed ${counts.failed}`;
    const problem = error === undefined ? "" : `  ${paint("red", printableLine(error), context.colour)}`;
    return `  ${printableLine(path)}  ${found}${problem}\n`;
  });
  return `${waited ? "synced" : "asked for"} · files ${files} · chunks ${chunks}${rest}\n${lines.join("")}`;
}
