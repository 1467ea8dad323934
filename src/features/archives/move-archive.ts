import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { AppError } from "../../base/errors.ts";
import { countOf } from "../../base/text/count-of.ts";
import { reasonOf } from "../../cli/folder/walk-folder.ts";
import { connected } from "../../cli/shell/connected.ts";
import type { AdminOptions, CliContext } from "../../cli/shell/context.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import { startProgress } from "../../cli/shell/progress.ts";
import { sizeText } from "../../cli/shell/size.ts";
import { withFile } from "../../cli/shell/standard-input.ts";
import { type ArchiveEnd, readAlong } from "./read-along.ts";

export interface ExportOptions extends AdminOptions {
  withVectors?: boolean;
  out?: string;
}

/**
 * Runs `recollect agents export`. Writes an agent's archive to a file or standard output, and
 * reports the place and the amount.
 *
 * @returns 0
 */
export async function exportArchive(context: CliContext, id: string, options: ExportOptions): Promise<number> {
  if (options.out === undefined && context.stdout.isTTY)
    throw new AppError(
      "invalid_request",
      "An archive is not text for a terminal; write it to a file with `> agent.archive` or --out FILE.",
    );
  return connected(context, options, async ({ client }) => {
    const query = { vectors: options.withVectors };
    const { body } = await client.open("GET", `/v1/agents/${encodeURIComponent(id)}/archive`, { query });
    const progress = await startProgress(context.stderr, "exporting", undefined, { show: sizeText });
    const written: Exported = { id, bytes: 0 };
    const counting = counted((body ?? []) as AsyncIterable<Uint8Array>, (bytes) => {
      written.bytes = bytes;
      progress.update(bytes);
    });
    const chunks = readAlong(counting, (end) => Object.assign(written, end));
    const { out } = options;
    await (out === undefined ? toOutput(context, chunks) : toFile(resolve(context.cwd, out), chunks))
      .catch((cause: unknown) => {
        if (cause instanceof AppError) throw cause;
        throw new AppError(
          "service_unreachable",
          "The export ended early, so the archive is incomplete and cannot be imported. Export it again.",
          {
            cause,
          },
        );
      })
      .finally(progress.stop);
    if (!options.json) context.stderr.write(exportedText(written, out));
    else if (out !== undefined) context.stdout.write(`${JSON.stringify({ ...written, file: out })}\n`);
    return 0;
  });
}

/** The progress of an export; it has the counts once the archive is complete. */
type Exported = { id: string; bytes: number } & Partial<ArchiveEnd>;

/** Returns the text for standard error. Standard output may hold the archive. */
function exportedText(
  { id, bytes, files = 0, messages = 0, facts = 0, vectors = 0 }: Exported,
  out: string | undefined,
): string {
  const what = `${countOf(files, "file")}, ${countOf(messages, "message")}, ${countOf(facts, "fact")}${vectors > 0 ? `, ${countOf(vectors, "vector")}` : ""}`;
  return `Exported ${id}${out === undefined ? "" : ` to ${printableLine(out)}`}: ${what}; ${sizeText(bytes)}.\n`;
}

/** Yields the same chunks. @param tell called with the number of bytes so far */
async function* counted(chunks: AsyncIterable<Uint8Array>, tell: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    tell(bytes);
    yield chunk;
  }
}

async function toOutput({ stdout }: CliContext, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks)
    if (stdout.write(chunk) === false && stdout.once) await new Promise<void>((go) => stdout.once?.("drain", go));
}

/**
 * Writes the archive under a temporary name until it is complete, so that a partial archive does
 * not overwrite an older one.
 *
 * @throws AppError `invalid_request` when the file cannot be written
 */
async function toFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const refused = (cause: NodeJS.ErrnoException): never => {
    const reason = cause.code === "ENOENT" ? "there is no such folder" : reasonOf(cause);
    throw new AppError("invalid_request", `The archive cannot be written to ${printableLine(path)}: ${reason}.`, {
      cause,
    });
  };
  const partial = `${path}.part`;
  const file = await open(partial, "w", 0o600).catch(refused);
  try {
    for await (const chunk of chunks) await file.write(chunk).catch(refused);
    await file.sync();
    await file.close();
    await rename(partial, path).catch(refused);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

export interface ImportOptions extends AdminOptions {
  as?: string;
  settings: boolean;
}

interface Imported {
  id: string;
  files: number;
  messages: number;
  facts: number;
  vectorsUsed: boolean;
  pendingEmbeddings: number;
}

/** Runs `recollect agents import`. Creates an agent from an archive file. @returns 0 */
export function importArchive(context: CliContext, file: string, options: ImportOptions): Promise<number> {
  return withFile(context, file, (path) => importFrom(context, { file, path }, options));
}

async function importFrom(
  context: CliContext,
  { file, path }: { file: string; path: string },
  options: ImportOptions,
): Promise<number> {
  const stream = createReadStream(path);
  await new Promise((opened, failed) => stream.once("open", opened).once("error", failed)).catch((cause: unknown) => {
    throw new AppError("invalid_request", `The file ${printableLine(file)} cannot be read.`, { cause });
  });
  const progress = await startProgress(context.stderr, "importing", (await stat(path)).size, { show: sizeText });
  const sent = Readable.from(counted(stream, progress.update), { objectMode: false });
  return connected(context, { ...options, ifMissing: "create" }, async ({ client, description }) => {
    const response = await client.open("POST", "/v1/archives", {
      query: { settings: options.settings ? "keep" : "drop", as: options.as },
      headers: { "content-type": "application/gzip" },
      body: Readable.toWeb(sent) as unknown as ReadableStream,
    });
    const answer = (await response.json().catch((cause: unknown) => {
      const what = `${description} stopped answering, so it is not known whether the archive was imported; look with recollect agents list.`;
      throw new AppError("service_unreachable", what, { cause });
    })) as Imported;
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : describe(answer));
    return 0;
  }).finally(() => {
    progress.stop();
    stream.destroy();
  });
}

function describe({ id, files, messages, facts, pendingEmbeddings }: Imported): string {
  const rest =
    pendingEmbeddings === 0 ? "" : ` In the background ${countOf(pendingEmbeddings, "embedding")} will be made.`;
  return `Imported ${id}: ${countOf(files, "file")}, ${countOf(messages, "message")}, ${countOf(facts, "fact")}.${rest}\n`;
}
