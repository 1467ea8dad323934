import { AppError } from "../../../base/errors.ts";
import { type RemoteFile, remoteFiles } from "../../../cli/folder/compare-files.ts";
import { BATCH_BYTES, BATCH_FILES, BATCH_PATHS, IN_FLIGHT } from "../../../cli/folder/send-changes.ts";
import type { Output } from "../../../cli/shell/context.ts";
import { inParallel } from "../../../cli/shell/in-parallel.ts";
import { startProgress } from "../../../cli/shell/progress.ts";
import type { RecollectClient } from "../../../client/client.ts";
import { documentPath, FOLDER } from "./document-path.ts";
import { readCorpus } from "./read-corpus.ts";
import type { EvalAgent } from "./read-dataset.ts";

export interface Loaded {
  sent: number;
  unchanged: number;
  removed: number;
  /** The number of chunks without an embedding when the upload ended, by agent. */
  toEmbed: Map<string, number>;
}

interface Batch {
  agent: string;
  put: { path: string; content: string; mtime?: string }[];
  bytes: number;
}

/**
 * Makes the documents of each scope the files of its agent, and sends only the files that differ.
 * The corpus is read a second time rather than kept in memory.
 *
 * @throws AppError `invalid_request` when an agent holds files that no evaluation put there
 */
export async function loadDocuments(
  client: RecollectClient,
  corpus: string,
  agents: readonly EvalAgent[],
  stderr: Output,
): Promise<Loaded> {
  const loaded: Loaded = { sent: 0, unchanged: 0, removed: 0, toEmbed: new Map() };
  const wanted = new Map<string, Set<string>>();
  for (const agent of agents) {
    const remote = await remoteFiles(client.agent(agent.id), "");
    refuseStrangers(agent.id, remote);
    const changed = [...agent.documents]
      .filter(([path, { hash }]) => remote.get(path)?.hash !== hash)
      .map(([path]) => path);
    if (changed.length > 0) wanted.set(agent.scope, new Set(changed));
    loaded.unchanged += agent.documents.size - changed.length;
    const gone = [...remote.keys()].filter((path) => !agent.documents.has(path));
    for (let start = 0; start < gone.length; start += BATCH_PATHS)
      await client.agent(agent.id).files.write({ delete: gone.slice(start, start + BATCH_PATHS) });
    loaded.removed += gone.length;
  }
  if (wanted.size > 0) await send(client, corpus, { agents, wanted, stderr, loaded });
  return loaded;
}

/**
 * Refuses an agent with files of somebody else. Files that the data set does not have are deleted,
 * so such a memory would be lost.
 */
function refuseStrangers(agent: string, remote: ReadonlyMap<string, RemoteFile>): void {
  const stranger = [...remote.keys()].find((path) => !path.startsWith(FOLDER));
  if (stranger !== undefined)
    throw new AppError(
      "invalid_request",
      `The agent ${agent} holds ${stranger}, which no evaluation put there; choose another name with --name.`,
    );
}

async function send(
  client: RecollectClient,
  corpus: string,
  {
    agents,
    wanted,
    stderr,
    loaded,
  }: { agents: readonly EvalAgent[]; wanted: Map<string, Set<string>>; stderr: Output; loaded: Loaded },
): Promise<void> {
  const ids = new Map(agents.map((agent) => [agent.scope, agent.id]));
  const total = [...wanted.values()].reduce((sum, paths) => sum + paths.size, 0);
  const progress = await startProgress(stderr, "sending", total);
  const deliver = async (batch: Batch) => {
    const { files } = await client.agent(batch.agent).files.write({ put: batch.put });
    const pending = files.reduce((sum, file) => sum + file.pendingEmbeddings, 0);
    loaded.toEmbed.set(batch.agent, (loaded.toEmbed.get(batch.agent) ?? 0) + pending);
    loaded.sent += files.length;
    progress.update(loaded.sent);
  };
  const deliverAll = (batches: Batch[]) =>
    inParallel(
      batches.map((batch) => () => deliver(batch)),
      IN_FLIGHT,
    );
  try {
    for await (const batches of batchesOf(corpus, wanted, ids)) await deliverAll(batches);
  } finally {
    progress.stop();
  }
}

/**
 * Yields full batches, some at a time so that several are in flight, and finally the batches that
 * are left.
 */
async function* batchesOf(
  corpus: string,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  ids: ReadonlyMap<string, string>,
): AsyncGenerator<Batch[]> {
  const open = new Map<string, Batch>();
  let full: Batch[] = [];
  let held = 0;
  for await (const { id, scope, content, mtime } of readCorpus(corpus, () => undefined)) {
    const path = documentPath(id);
    const agent = ids.get(scope);
    if (agent === undefined || !wanted.get(scope)?.has(path)) continue;
    const bytes = Buffer.byteLength(content);
    let batch = open.get(scope);
    if (batch && (batch.put.length === BATCH_FILES || batch.bytes + bytes > BATCH_BYTES)) {
      full.push(batch);
      batch = undefined;
    }
    batch ??= { agent, put: [], bytes: 0 };
    batch.put.push({ path, content, ...(mtime === undefined ? {} : { mtime }) });
    batch.bytes += bytes;
    held += bytes;
    open.set(scope, batch);
    if (full.length < IN_FLIGHT && held < IN_FLIGHT * BATCH_BYTES) continue;
    // With many scopes, the unfinished batches together take as much memory as full ones.
    yield [...full, ...open.values()];
    full = [];
    held = 0;
    open.clear();
  }
  yield [...full, ...open.values()];
}
