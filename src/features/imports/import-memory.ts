import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DAY_MS } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { valueAt } from "../../base/objects.ts";
import { requireOrigins } from "../../cli/folder/compare-files.ts";
import { originOf } from "../../cli/folder/origin-of.ts";
import { reasonOf, walkFolder } from "../../cli/folder/walk-folder.ts";
import { notSearched, waitForIndex } from "../../cli/sessions/wait-for-index.ts";
import { withMemory } from "../../cli/shell/connected.ts";
import type { CliContext, RemoteOptions } from "../../cli/shell/context.ts";
import { INTERRUPTED } from "../../cli/shell/interrupted.ts";
import { codeOf, sentenceOf } from "../../cli/shell/problem.ts";
import { startProgress } from "../../cli/shell/progress.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { RecollectClient } from "../../client/client.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { createReport, type ImportReport, printReport } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";
import { createImporter, type Importer } from "./importer.ts";
import { openSource, type Source } from "./open-source.ts";

export interface ImportOptions extends RemoteOptions {
  dryRun?: boolean;
  wait: boolean;
  capture: boolean;
  user?: string;
  prefix: string;
}

type NamedKind = ImportKind & { name: string };

const MAX_FILE_BYTES = 2_000_000;

/**
 * Runs `recollect import KIND PATH`. Imports the memory of another program into an agent's memory,
 * each item once.
 *
 * @returns 1 when an item could not be read or was refused, or the index stalled, else 0
 * @throws AppError `invalid_request` when the source has nothing of the kind, after the report was
 * printed if files were read; RecollectError, after
 * the report was printed, when the import ended before the source
 */
export function importMemory(
  context: CliContext,
  kind: NamedKind,
  path: string,
  options: ImportOptions,
): Promise<number> {
  const { dryRun = false, json = false } = options;
  const ifMissing = dryRun ? "in memory" : "create";
  const ending = context.stopping();
  return withMemory(context, { ...options, ifMissing }, async (memory, { client, description }) => {
    const read = { bytes: 0 };
    const source = await openSource(resolve(context.cwd, path), (bytes) => {
      read.bytes += bytes;
    });
    try {
      const chosen = choose(kind, source, path);
      if (chosen.keeps) await requireOrigins(memory, description);
      const report = createReport({ kind: kind.name, source: path, agent: memory.id, dryRun });
      const target = await targetOf(memory, kind, source, options);
      const importer = createImporter(target, report);
      await transfer(context, { kind, source, chosen, target, importer, report, read, ending, json });
      const stalled =
        !dryRun && options.wait && hasNew(report) && (await isStalled(context, { client, memory }, ending));
      printReport(context, report, json);
      if (!importer.isSearched()) context.stderr.write(notSearched(memory.id));
      if (hasNothing(report)) throw nothingFound(kind, path);
      return stalled || report.skippedCount > 0 ? 1 : 0;
    } finally {
      source.close();
    }
  }).catch((error: unknown) => {
    // The report has said what is stored, and how to go on.
    if (!ending.aborted) throw error;
    return INTERRUPTED;
  });
}

interface Transfer {
  kind: NamedKind;
  source: Source;
  chosen: Chosen;
  target: ImportTarget;
  importer: Importer;
  report: ImportReport;
  /** The bytes of the source that were read so far. */
  read: { bytes: number };
  ending: AbortSignal;
  json: boolean;
}

/** Imports all items of a source, and prints the report if that ends before its end. */
async function transfer(
  context: CliContext,
  { kind, source, chosen, target, importer, report, read, ending, json }: Transfer,
): Promise<void> {
  const started = performance.now();
  const bar = await startProgress(context.stderr, "importing kB", toKilobytes(await sizeOf(chosen.files)));
  try {
    for await (const item of itemsOf(kind, source, chosen, target)) {
      await importer.take(item);
      bar.update(toKilobytes(read.bytes));
      ending.throwIfAborted();
    }
    await importer.finish();
  } catch (error) {
    await importer.settle();
    report.stopped = ending.aborted ? "The user stopped it." : sentenceOf(error);
    throw error;
  } finally {
    bar.stop();
    report.seconds = (performance.now() - started) / 1000;
    if (report.stopped !== undefined) printStopped(context, report, json);
  }
}

/** Waits for the index of the imported items. @returns whether it stalled, or the user did not wait */
async function isStalled(
  context: CliContext,
  service: { client: RecollectClient; memory: AgentClient },
  ending: AbortSignal,
): Promise<boolean> {
  try {
    return await waitForIndex(context, service, ending);
  } catch (error) {
    if (!ending.aborted) throw error;
    context.stderr.write("Everything is stored; the server indexes the rest, or the next command does.\n");
    return true;
  }
}

function printStopped(context: CliContext, report: ImportReport, json: boolean): void {
  printReport(context, report, json);
  context.stderr.write("Run the same command again to continue where this one stopped.\n");
}

/** The files of a source that are read, and whether the source has texts that become files. */
interface Chosen {
  files: SourceFile[];
  keeps: boolean;
}

/** Chooses the files to read. @throws AppError `invalid_request` when the source has none */
function choose(kind: NamedKind, { files, only, isZip }: Source, path: string): Chosen {
  if (isZip && !kind.isZipped)
    throw new AppError(
      "invalid_request",
      `${kind.name} is not imported from an archive: unpack the archive and name the folder.`,
    );
  const paths = files.map((file) => file.path);
  kind.check?.(paths);
  const keeps = kind.keeps !== undefined && paths.some(kind.keeps);
  // The user may have renamed a file that they name directly.
  const isNamed = only !== undefined && !keeps && kind.read !== undefined;
  const chosen = isNamed ? files : files.filter((file) => kind.reads?.(file.path));
  if (chosen.length === 0 && !keeps) throw nothingFound(kind, path);
  return { files: chosen, keeps };
}

function nothingFound({ name, has }: NamedKind, path: string): AppError {
  return new AppError("invalid_request", `${path} holds nothing that ${name} can import: looked for ${has}.`);
}

/** Returns whether a source had no item, apart from entries that are left out or cannot be read. */
function hasNothing({ messages, facts, files }: ImportReport): boolean {
  return messages.found + facts.found + files.found === 0;
}

async function targetOf(
  memory: AgentClient,
  kind: NamedKind,
  { root }: Source,
  { dryRun = false, capture, user, prefix }: ImportOptions,
): Promise<ImportTarget> {
  return {
    memory,
    dryRun,
    prefix,
    captures: capture,
    maxFileBytes: MAX_FILE_BYTES,
    scope: user === undefined ? undefined : { user },
    // The files of a folder get the origin that `recollect sync` uses, so that a later sync keeps
    // them up to date. An export is imported once.
    origin: kind.keeps ? await originOf(root, prefix) : `import:${kind.name}`,
    keptSince: dryRun ? await keptSince(memory) : undefined,
  };
}

/**
 * Returns the instant from which messages are kept. Undefined means that they are kept for ever, or
 * that the key may not read the settings.
 */
async function keptSince(memory: AgentClient): Promise<string | undefined> {
  try {
    const days = valueAt((await memory.settings()).settings, "sync.sessions.retentionDays");
    return typeof days === "number" ? new Date(Date.now() - days * DAY_MS).toISOString() : undefined;
  } catch (error) {
    if (["agent_not_found", "forbidden"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

async function* itemsOf(
  kind: NamedKind,
  source: Source,
  { files, keeps }: Chosen,
  target: ImportTarget,
): AsyncGenerator<Item> {
  yield* source.bad;
  if (keeps) yield* keptFiles(kind, source, target);
  for (const file of files)
    try {
      for await (const item of kind.read?.(file) ?? [])
        yield "file" in item ? { file: { ...item.file, path: target.prefix + item.file.path } } : item;
    } catch (error) {
      // The error comes from the file. Errors of requests are thrown in the code that consumes the
      // items.
      yield { place: file.path, bad: reasonOf(error, file.path) };
    }
}

/**
 * Yields the texts that become files, found in the same way as `recollect sync` finds them, and the
 * facts in these texts.
 */
async function* keptFiles(
  { keeps = () => false, readKept }: ImportKind,
  { root, only }: Source,
  { prefix, maxFileBytes }: ImportTarget,
): AsyncGenerator<Item> {
  const isKept = (path: string) => keeps(path.slice(prefix.length));
  const wants = only === undefined ? undefined : (path: string) => path === prefix + only.normalize("NFC");
  const walk = await walkFolder(root, { ignore: [], maxFileBytes, prefix, ...(wants && { wants }) });
  for (const { path, reason } of [...walk.skipped, ...walk.failed])
    if (isKept(path) || path.endsWith("/")) yield { place: path, bad: reason };
  for (const file of walk.files.filter(({ path }) => isKept(path))) {
    yield { file };
    if (!readKept) continue;
    const text = await readFile(file.absolute, "utf8").catch(() => "");
    yield* readKept(text, file.path);
  }
}

function hasNew({ messages, facts, files }: ImportReport): boolean {
  return messages.new + facts.new + files.new + files.changed > 0;
}

async function sizeOf(files: readonly SourceFile[]): Promise<number> {
  let sum = 0;
  for (const { absolute, size } of files)
    sum += absolute === undefined ? size : ((await stat(absolute).catch(() => undefined))?.size ?? 0);
  return sum;
}

function toKilobytes(bytes: number): number {
  return Math.round(bytes / 1000);
}
