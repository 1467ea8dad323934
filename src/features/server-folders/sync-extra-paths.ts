import { matchesGlob } from "node:path";
import { countOf } from "../../base/text/count-of.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { isTaken } from "../../service/files/document-type.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import type { HookedFileDeps } from "../../service/files/file-hooks.ts";
import type { ExtraPathStatus } from "../../service/indexing/index-hooks.ts";
import { type ExtraPath, extraPathsOf, isWithin } from "../../settings/extra-paths.ts";
import { absolutePathProblem } from "../../settings/memory-path.ts";
import { maxBytesAt, readExtraFile } from "./read-extra-file.ts";
import {
  createExtraPathTable,
  type ExtraFile,
  type ExtraPathRow,
  extraFiles,
  readExtraPaths,
  writeExtraPaths,
} from "./sql/extra-paths.ts";
import { type FileStore, fileStore, type PathReport } from "./store-extra-files.ts";
import { type FoundFile, openExtraPath, walkExtraPath } from "./walk-extra-path.ts";

/** The most files in all extra paths of one agent. */
const MAX_FILES = 50_000;
const KNOWN_PAGE = 2000;
/**
 * The most rejected files whose size and time are stored. Every sync reads further rejected files
 * again.
 */
const MAX_REJECTED = 1000;

/** One sync of one agent's extra paths. */
interface Run {
  readonly deps: HookedFileDeps;
  readonly agent: KnownAgent;
  readonly signal: AbortSignal;
  /** The files of extra paths that the memory has. */
  readonly known: ReadonlyMap<string, ExtraFile>;
  readonly store: FileStore;
  /** Paths that exist on disk. */
  readonly seen: Set<string>;
  /** Files and folders that could not be read. Their files in the memory stay. */
  readonly unread: Set<string>;
  filesRead: number;
}

/** The results at one extra path. */
interface Visit extends PathReport {
  readonly entry: ExtraPath;
  error: string | null;
  /**
   * Size and time of rejected files, by path: from the last sync (`rejectedBefore`) and from this
   * one (`rejected`).
   */
  readonly rejectedBefore: Readonly<Record<string, string>>;
  readonly rejected: Map<string, string>;
  /**
   * The reasons why documents of some kinds cannot be read. Every sync tries them again, because
   * the missing package may be installed.
   */
  readonly missing: Set<string>;
}

/**
 * Brings the files under absolute paths in an agent's memory in line with its `extraPaths`. This is
 * one step of the sync. A file with unchanged size and time is not read again, so an unchanged
 * folder costs one listing and a query for each 2,000 files. Files that cannot be read now keep
 * their content.
 *
 * @returns "unfinished" when `signal` ended the step
 */
export async function syncExtraPaths(
  deps: HookedFileDeps,
  agent: KnownAgent,
  signal: AbortSignal,
): Promise<"done" | "unfinished"> {
  const entries = extraPathsOf(agent.settings);
  const known = await knownFiles(deps, agent);
  if (entries.length === 0 && known.size === 0) return "done";
  const before = await withAgentTransaction(deps.db, agent, (tx) => readExtraPaths(tx, agent.schema));
  const store = fileStore(deps, agent);
  const run: Run = { deps, agent, signal, known, store, seen: new Set(), unread: new Set(), filesRead: 0 };
  const visits: Visit[] = [];
  for (const entry of entries) {
    const last = before?.find((row) => row.path === entry.path && row.pattern === (entry.pattern ?? ""));
    visits.push(await visit(run, entry, last?.rejected ?? {}));
    if (isOver(run)) break;
  }
  await store.flush();
  if (isOver(run)) return "unfinished";
  const gone = [...known.keys()].filter((path) => !run.seen.has(path) && !isUnread(run, path));
  await store.remove(gone);
  if (before === undefined) await makeTable(deps, agent);
  await remember(run, visits);
  deps.logger.info(
    {
      agentId: agent.agentId,
      extraPaths: entries.length,
      files: run.seen.size,
      read: run.filesRead,
      deleted: gone.length,
    },
    "extra paths synced",
  );
  return "done";
}

async function knownFiles(deps: FileDeps, agent: KnownAgent): Promise<Map<string, ExtraFile>> {
  const known = new Map<string, ExtraFile>();
  for (let after = ""; ; ) {
    const page = await withAgentTransaction(deps.db, agent, (tx) => extraFiles(tx, agent.schema, after, KNOWN_PAGE));
    for (const file of page) known.set(file.path, file);
    const last = page.at(-1);
    if (!last || page.length < KNOWN_PAGE) return known;
    after = last.path;
  }
}

async function visit(run: Run, entry: ExtraPath, rejectedBefore: Record<string, string>): Promise<Visit> {
  const counts = { files: 0, skipped: 0, failed: 0, refused: 0 };
  const visit: Visit = { ...counts, entry, error: null, rejectedBefore, rejected: new Map(), missing: new Set() };
  const problem = await look(run, visit);
  if (problem !== undefined) {
    run.unread.add(storedPath(entry, ""));
    visit.error = problem;
  }
  return visit;
}

/**
 * Reads the files at one extra path.
 *
 * @returns why this path was not read completely; then none of its files may be deleted
 */
async function look(run: Run, visit: Visit): Promise<string | undefined> {
  const { entry } = visit;
  const roots = run.deps.defaults.extraPathRoots;
  if (!roots.some((root) => isWithin(entry.path, root))) return "The operator does not allow this path any more.";
  const opened = await openExtraPath(entry.path, roots);
  if (opened === "unreadable") return BROKEN_OFF.unreadable;
  if (opened === "not allowed") return "It leads out of the folders that the operator allows.";
  const wanted = (relative: string) =>
    entry.pattern === undefined ? isTaken(relative) : matchesGlob(relative, entry.pattern);
  for await (const found of walkExtraPath(opened, wanted)) {
    if (isOver(run)) return undefined;
    if (found.kind === "broken off") return found.reason === "empty" ? emptied(run, entry) : BROKEN_OFF[found.reason];
    if (run.seen.size >= MAX_FILES) return BROKEN_OFF["too many entries"];
    if (found.kind === "file") await take(run, visit, found);
    else if (found.kind === "skipped") visit.skipped++;
    else leaveAsIs(run, visit, found.relative);
  }
  return undefined;
}

const BROKEN_OFF = {
  unreadable: "It cannot be read; its files stay as they are.",
  "too many entries": `It has too many files; at most ${MAX_FILES} are taken.`,
} as const;

function emptied(run: Run, entry: ExtraPath): string | undefined {
  const folder = storedPath(entry, "");
  const hadFiles = [...run.known.keys()].some((path) => isWithin(path, folder));
  return hadFiles ? "It is empty, as if it were not mounted; its files stay as they are." : undefined;
}

/**
 * Returns whether the rest is left to another job. A sync that has not read any file goes on: on a
 * slow share, listing alone may take longer than one job's turn, and each ended job must have
 * stored something.
 */
function isOver(run: Run): boolean {
  return run.signal.aborted && run.filesRead > 0;
}

function leaveAsIs(run: Run, visit: Visit, relative: string): void {
  visit.failed++;
  run.unread.add(storedPath(visit.entry, relative));
}

async function take(run: Run, visit: Visit, file: FoundFile): Promise<void> {
  const path = storedPath(visit.entry, file.relative);
  // Another extra path has already found the file, or the disk has two spellings of one accented
  // name, which Linux allows.
  if (run.seen.has(path)) return;
  if (file.size > maxBytesAt(path) || absolutePathProblem(path) !== undefined) {
    visit.skipped++;
    return;
  }
  const stamp = `${file.size}:${file.mtime.getTime()}`;
  if (visit.rejectedBefore[path] === stamp) return reject(visit, path, stamp);
  const known = run.known.get(path);
  if (known?.size === file.size && known.mtime.getTime() === file.mtime.getTime()) {
    run.seen.add(path);
    visit.files++;
    return;
  }
  if (!known && run.store.isFull()) {
    visit.failed++;
    visit.refused++;
    return;
  }
  run.filesRead++;
  const read = await readExtraFile(run.deps, run.agent, path, file);
  if (read === "unreadable") return leaveAsIs(run, visit, file.relative);
  if (read === "rejected") return reject(visit, path, stamp);
  if ("missing" in read) {
    visit.skipped++;
    visit.missing.add(read.missing);
    // The text of an earlier version of the document stays, because the document may become
    // readable again.
    run.unread.add(path);
    return;
  }
  run.seen.add(path);
  await run.store.add({ path, ...read, mtime: file.mtime, report: visit });
}

function reject(visit: Visit, path: string, stamp: string): void {
  visit.skipped++;
  if (visit.rejected.size < MAX_REJECTED) visit.rejected.set(path, stamp);
}

/**
 * Returns the path of a file in the memory: the folder as the settings spell it, in Unicode normal
 * form C like every path.
 */
function storedPath(entry: ExtraPath, relative: string): string {
  return (relative === "" ? entry.path : `${entry.path}/${relative}`).normalize("NFC");
}

function isUnread(run: Run, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
    if (run.unread.has(path.slice(0, end))) return true;
  return false;
}

async function makeTable(deps: FileDeps, agent: KnownAgent): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockAgentSchema(tx, agent);
    await createExtraPathTable(tx, agent.schema, agent.role);
  });
}

/** Stores the results for the agent's status and for the next sync. */
async function remember({ deps, agent }: Run, visits: readonly Visit[]): Promise<void> {
  const syncedAt = deps.clock();
  const rows: ExtraPathRow[] = visits.map(({ entry, files, skipped, failed, refused, error, rejected, missing }) => ({
    path: entry.path,
    pattern: entry.pattern ?? "",
    files,
    skipped,
    failed,
    syncedAt,
    error: error ?? (refused > 0 ? noRoom(refused) : missing.size > 0 ? [...missing].join(" ") : null),
    rejected: Object.fromEntries(rejected),
  }));
  await withAgentTransaction(deps.db, agent, (tx) => writeExtraPaths(tx, agent.schema, rows));
}

function noRoom(files: number): string {
  return `A limit of the agent or tenant leaves no room for ${countOf(files, "file")}.`;
}

/** Returns the results of the last sync for the extra paths of the settings. */
export async function extraPathStatus(deps: FileDeps, agent: KnownAgent): Promise<ExtraPathStatus[]> {
  const entries = extraPathsOf(agent.settings);
  if (entries.length === 0) return [];
  const rows = (await withAgentTransaction(deps.db, agent, (tx) => readExtraPaths(tx, agent.schema))) ?? [];
  return entries.map(({ path, pattern }) => {
    const row = rows.find((one) => one.path === path && one.pattern === (pattern ?? ""));
    return {
      path,
      ...(pattern === undefined ? {} : { pattern }),
      files: row?.files ?? 0,
      skipped: row?.skipped ?? 0,
      failed: row?.failed ?? 0,
      lastSyncAt: row?.syncedAt.toISOString() ?? null,
      ...(row?.error ? { error: row.error } : {}),
    };
  });
}
