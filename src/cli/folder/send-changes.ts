import type { RecollectError } from "../../client/client.ts";
import { inParallel } from "../shell/in-parallel.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import type { Changes, RemoteFile } from "./compare-files.ts";
import { readSettled } from "./read-settled.ts";
import { sendDocument, type UnreadKinds } from "./send-document.ts";
import { createSendPace } from "./send-pace.ts";
import { ABOUT_A_FILE, type Sent, type Target, type Unit } from "./sending.ts";
import { reasonOf, textProblem } from "./walk-folder.ts";

/**
 * The limits of one batch request. The server accepts 100 paths and 8 MB of JSON, in which a
 * character may take six bytes.
 */
export const BATCH_FILES = 64;
export const BATCH_BYTES = 1_000_000;
export const BATCH_PATHS = 100;
/**
 * The number of batches that are sent at once. The next batch is read and parsed while the server
 * stores the previous one.
 */
export const IN_FLIGHT = 4;
/**
 * The number of documents that are sent at once. The server reads one document of a tenant at a
 * time; meanwhile the next one is transferred.
 */
const DOCUMENTS_IN_FLIGHT = 2;
/**
 * After this many refusals of single files for a full quota, further batches are not split to find
 * files that would still fit.
 */
const MOST_QUOTA_REFUSALS = 8;

interface ReadyUnit extends Unit {
  put?: { path: string; content: string; mtime: string };
}

/**
 * Sends changes. Each document is sent in a request of its own. A text that only moved is sent in
 * one request with the deletion of its old name. Because a request is all or nothing, a search
 * finds the text under one of the names and never under both. If everything fits in a single
 * request, one is sent. Otherwise deletions without a put come last, so that a file that moved and
 * changed is not missing in between.
 *
 * @param advance called with the number of paths that are done, and the counts of all until now
 * @throws RecollectError when the service cannot be reached, or refuses for a reason that concerns
 * more than a single file
 */
export async function sendChanges(
  target: Target,
  changes: Pick<Changes, "changed" | "adopted" | "gone">,
  advance: (count: number, sent: Sent) => void = () => undefined,
): Promise<Sent> {
  const sent: Sent = { sent: 0, adopted: 0, removed: 0, chunks: 0, toEmbed: 0, refused: [], unread: [] };
  const { puts: all, deletions } = unitsOf(changes, target.known);
  const puts = all.filter((unit) => unit.file?.document === undefined);
  const unread: UnreadKinds = new Map();
  const documents = all.filter((unit) => unit.file?.document !== undefined);
  const sends = documents.map((unit) => async () => {
    const isDone = await sendDocument(target, unit, sent, unread);
    if (isDone && unit.doomed !== undefined) deletions.push({ doomed: unit.doomed });
    advance(1, sent);
  });
  await inParallel(sends, DOCUMENTS_IN_FLIGHT);
  const together = [...puts, ...deletions];
  const rounds = batchesOf(together).length <= 1 ? [together] : [puts, deletions];
  const pace = createSendPace(BATCH_BYTES);
  // A folder that fits in one request is sent in one, so that a search never finds half of a change.
  const most = rounds.length === 1 ? () => BATCH_BYTES : pace.bytes;
  const postOne = (batch: readonly Unit[]) => async () => {
    const ready = await readAgain(target, batch, sent);
    const startedAt = performance.now();
    await post(target, ready, sent);
    pace.took(bytesOf(batch), performance.now() - startedAt);
    advance(
      batch.reduce((sum, unit) => sum + pathsIn(unit), 0),
      sent,
    );
  };
  for (const units of rounds) await inParallel(mapLazily(cutBatches(units, most), postOne), IN_FLIGHT);
  return sent;
}

/**
 * Combines changes into units. A file counts as moved if the server has the same content under a
 * name that no longer exists in the folder.
 */
function unitsOf(
  { changed, adopted, gone }: Pick<Changes, "changed" | "adopted" | "gone">,
  known: ReadonlyMap<string, RemoteFile>,
): { puts: Unit[]; deletions: Unit[] } {
  const goneByHash = Map.groupBy(gone, (path) => known.get(path)?.hash);
  const puts = changed.map((file): Unit => {
    const doomed = goneByHash.get(file.hash)?.shift();
    return doomed === undefined ? { file } : { file, doomed };
  });
  puts.push(...adopted.map((file): Unit => ({ file, isAdopted: true })));
  return { puts, deletions: [...goneByHash.values()].flat().map((doomed) => ({ doomed })) };
}

/**
 * Splits units into batches in order. A new batch begins where the next unit would exceed a limit.
 */
export function batchesOf(units: readonly Unit[]): Unit[][] {
  return [...cutBatches(units, () => BATCH_BYTES)];
}

/**
 * Yields the batches one by one.
 *
 * @param mostBytes is asked for the limit of bytes before each batch is cut
 */
export function* cutBatches(units: readonly Unit[], mostBytes: () => number): Generator<Unit[]> {
  for (let from = 0, to = 0; from < units.length; from = to) {
    const most = mostBytes();
    let [files, paths, bytes] = [0, 0, 0];
    for (let unit = units[to]; unit; unit = units[++to]) {
      files += unit.file ? 1 : 0;
      paths += pathsIn(unit);
      bytes += unit.file?.size ?? 0;
      if (to > from && (files > BATCH_FILES || paths > BATCH_PATHS || bytes > most)) break;
    }
    yield units.slice(from, to);
  }
}

function* mapLazily<T, R>(items: Iterable<T>, map: (item: T) => R): Generator<R> {
  for (const item of items) yield map(item);
}

function bytesOf(batch: readonly Unit[]): number {
  return batch.reduce((sum, unit) => sum + (unit.file?.size ?? 0), 0);
}

function pathsIn(unit: Unit): number {
  return (unit.file ? 1 : 0) + (unit.doomed === undefined ? 0 : 1);
}

/** Reads the contents again. Keeping them since the walk would hold a large folder in memory. */
async function readAgain(target: Target, batch: readonly Unit[], sent: Sent): Promise<ReadyUnit[]> {
  const ready: ReadyUnit[] = [];
  for (const unit of batch) {
    if (!unit.file) {
      ready.push(unit);
      continue;
    }
    const { path, absolute, content: kept } = unit.file;
    try {
      const { bytes, mtime } = kept ? { bytes: kept, mtime: unit.file.mtime } : await readSettled(absolute);
      const problem = await textProblem(bytes, target.maxFileBytes);
      if (problem !== undefined) throw new Error(problem);
      // A byte order mark is kept, because the server's hash covers the file's exact bytes.
      const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      ready.push({ ...unit, put: { path, content, mtime: mtime.toISOString() } });
    } catch (error) {
      // The file cannot be read now, so it may be stored later. Until then the old name of a moved
      // file stays on the server too.
      sent.unread.push({ path, reason: `changed while syncing: ${reasonOf(error)}` });
    }
  }
  return ready;
}

/**
 * Sends one batch. A batch is all or nothing, so one refused file would block the others. A refused
 * batch is halved until the refused file stands alone and can be reported.
 */
async function post(target: Target, units: readonly ReadyUnit[], sent: Sent): Promise<void> {
  const put = units.flatMap((unit) => (unit.put ? [unit.put] : []));
  const doomed = units.flatMap((unit) => (unit.doomed === undefined ? [] : [unit.doomed]));
  if (put.length + doomed.length === 0) return;
  const { origin, takeOver } = target;
  const whose = { origin, ...(takeOver && { takeOver }) };
  const body = { ...(put.length > 0 && { put }), ...(doomed.length > 0 && { delete: doomed }), ...whose };
  try {
    const written = await target.memory.files.write(body);
    const adopted = units.filter((unit) => unit.put && unit.isAdopted).length;
    sent.adopted += adopted;
    sent.sent += put.length - adopted;
    sent.removed += doomed.length;
    for (const file of written.files) {
      sent.chunks += file.chunks;
      sent.toEmbed += file.pendingEmbeddings;
      target.known.set(file.path, { hash: file.hash, origin });
    }
    for (const path of doomed) target.known.delete(path);
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "origin_conflict") return postWithout(target, units, sent, error as RecollectError);
    if (!ABOUT_A_FILE.has(code)) throw error;
    await postRefused(target, units, sent, error as RecollectError);
  }
}

/**
 * Sends the batch without the files that another writer changed after the server was asked. These
 * files are reported and stay unchanged.
 */
async function postWithout(
  target: Target,
  units: readonly ReadyUnit[],
  sent: Sent,
  error: RecollectError,
): Promise<void> {
  const theirs = new Set(error.details?.paths as string[] | undefined);
  const refuse = (path: string, hash: string) =>
    sent.refused.push({ path, hash, reason: sentenceOf(error), overQuota: false, isOthers: true });
  const rest = units.flatMap(({ put, file, doomed, ...unit }): ReadyUnit[] => {
    const isPut = put !== undefined && !theirs.has(put.path);
    const isDoomed = doomed !== undefined && !theirs.has(doomed);
    if (put && !isPut) refuse(put.path, file?.hash ?? "");
    if (doomed !== undefined && !isDoomed) {
      refuse(doomed, "");
      target.known.delete(doomed);
    }
    if (!isPut && !isDoomed) return [];
    return [{ ...unit, ...(isPut && file && { put, file }), ...(isDoomed && { doomed }) }];
  });
  if (theirs.size === 0) throw error;
  await post(target, rest, sent);
}

async function postRefused(
  target: Target,
  units: readonly ReadyUnit[],
  sent: Sent,
  error: RecollectError,
): Promise<void> {
  const overQuota = error.code === "quota_exceeded";
  const isFull = overQuota && sent.refused.filter((refusal) => refusal.overQuota).length >= MOST_QUOTA_REFUSALS;
  const isGrowth = (unit: ReadyUnit) => unit.doomed === undefined;
  const hopeless = units.length === 1 ? units : isFull ? units.filter(isGrowth) : [];
  for (const { file, doomed } of hopeless) {
    const reason = sentenceOf(error);
    sent.refused.push({ path: file?.path ?? doomed ?? "", reason, hash: file?.hash ?? "", overQuota, isOthers: false });
  }
  // The server refuses the content under the new name. The old name is deleted all the same,
  // because the folder no longer has it.
  const bereft = hopeless.flatMap(({ file, doomed }) => (file && doomed !== undefined ? [{ doomed }] : []));
  const rest = [...units.filter((unit) => !hopeless.includes(unit)), ...bereft];
  const middle = hopeless.length > 0 ? rest.length : Math.ceil(rest.length / 2);
  await post(target, rest.slice(0, middle), sent);
  await post(target, rest.slice(middle), sent);
}
