import { AppError } from "../../base/errors.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { writeChecked } from "../../service/files/write-files.ts";
import { systemCaller } from "../../settings/access.ts";
import { type ExtraFile, setMtimes } from "./sql/extra-paths.ts";

const BATCH_FILES = 50;
const BATCH_BYTES = 2_000_000;
/** After a limit has refused this many files, new files are not read. */
const MAX_REFUSED = 20;

/** The counts of a sync at one extra path. */
export interface PathReport {
  files: number;
  skipped: number;
  failed: number;
  /** Files that a limit of the agent or tenant refused; `failed` includes them. */
  refused: number;
}

/** A new or changed file, with the report that counts it. */
interface ChangedFile {
  path: string;
  content: string;
  mtime: Date;
  /** The document that the content was read from. */
  original?: FileOriginal | undefined;
  report: PathReport;
}

/** Stores files in batches, so that neither memory nor a transaction grows with the folder. */
export interface FileStore {
  /** Returns whether limits have refused so many files that new files need not be read. */
  isFull(): boolean;
  add(file: ChangedFile): Promise<void>;
  flush(): Promise<void>;
  remove(paths: readonly string[]): Promise<void>;
}

/** Creates the store for an agent's memory. */
export function fileStore(deps: FileDeps, agent: KnownAgent): FileStore {
  let batch: ChangedFile[] = [];
  let bytes = 0;
  let refused = 0;
  const flush = async () => {
    const files = batch;
    batch = [];
    bytes = 0;
    refused += await store(deps, agent, files);
  };
  return {
    isFull: () => refused >= MAX_REFUSED,
    add: async (file) => {
      batch.push(file);
      bytes += file.content.length;
      if (batch.length >= BATCH_FILES || bytes >= BATCH_BYTES) await flush();
    },
    flush,
    remove: async (paths) => {
      for (let at = 0; at < paths.length; at += BATCH_FILES)
        await writeChecked(deps, syncCaller(agent), agent, {
          put: [],
          delete: paths.slice(at, at + BATCH_FILES),
        });
    },
  };
}

function syncCaller({ tenantId }: KnownAgent) {
  return { ...systemCaller(tenantId), via: "job:sync" };
}

/**
 * Stores a batch whole or, when a limit refuses it, in halves down to single files.
 *
 * @returns how many files were refused
 */
async function store(deps: FileDeps, agent: KnownAgent, files: readonly ChangedFile[]): Promise<number> {
  if (files.length === 0) return 0;
  try {
    const put = files.map(({ report: _, ...file }) => file);
    const written = await writeChecked(deps, syncCaller(agent), agent, { put, delete: [] });
    const same = new Set(written.files.filter((file) => file.status === "unchanged").map((file) => file.path));
    await touch(
      deps,
      agent,
      files.filter((file) => same.has(file.path)),
    );
    for (const { report } of files) report.files++;
    return 0;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "quota_exceeded") throw error;
    const [only] = files;
    if (only && files.length === 1) {
      only.report.failed++;
      only.report.refused++;
      return 1;
    }
    const half = Math.ceil(files.length / 2);
    return (await store(deps, agent, files.slice(0, half))) + (await store(deps, agent, files.slice(half)));
  }
}

/**
 * Stores the new time of files with unchanged content; otherwise every sync would read them again.
 */
async function touch(
  deps: FileDeps,
  agent: KnownAgent,
  files: readonly Pick<ExtraFile, "path" | "mtime">[],
): Promise<void> {
  if (files.length === 0) return;
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await setMtimes(tx, agent.schema, files);
    // The change of role raises the change counter: a search that is limited to some days may now
    // have another answer.
    await tx.asService();
  });
}
