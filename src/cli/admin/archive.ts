import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { AppError } from "../../base/errors.ts";
import { connected } from "../shell/connected.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { printableLine } from "../shell/printable.ts";

export interface ExportOptions extends AdminOptions {
  withVectors?: boolean;
  out?: string;
}

/** `recollect agents export`: writes an agent's archive to a file or standard output. @returns 0 */
export async function exportArchive(context: CliContext, id: string, options: ExportOptions): Promise<number> {
  if (options.out === undefined && context.stdout.isTTY)
    throw new AppError("invalid_request", "An archive is no text to show; use `> agent.archive` or --out FILE.");
  return connected(context, options, async ({ client }) => {
    const query = { vectors: options.withVectors };
    const { body } = await client.open("GET", `/v1/agents/${encodeURIComponent(id)}/archive`, { query });
    const chunks = (body ?? []) as AsyncIterable<Uint8Array>;
    const broken = (cause: unknown) => {
      throw new AppError("service_unreachable", "The archive broke off; it is of no use. Export it again.", { cause });
    };
    if (options.out === undefined) await toOutput(context, chunks).catch(broken);
    else await toFile(resolve(context.cwd, options.out), chunks).catch(broken);
    return 0;
  });
}

async function toOutput({ stdout }: CliContext, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks)
    if (stdout.write(chunk) === false && stdout.once) await new Promise<void>((go) => stdout.once?.("drain", go));
}

/** Under another name until it is whole, so that an older archive is not lost to half a new one. */
async function toFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${path}.part`;
  const file = await open(partial, "w", 0o600);
  try {
    for await (const chunk of chunks) await file.write(chunk);
    await file.sync();
    await file.close();
    await rename(partial, path);
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

/** `recollect agents import`: makes an agent out of a file. @returns 0 */
export async function importArchive(context: CliContext, file: string, options: ImportOptions): Promise<number> {
  const path = resolve(context.cwd, file);
  const stream = createReadStream(path);
  await new Promise((opened, failed) => stream.once("open", opened).once("error", failed)).catch((cause: unknown) => {
    throw new AppError("invalid_request", `The file ${printableLine(file)} cannot be read.`, { cause });
  });
  return connected(context, options, async ({ client, description }) => {
    const response = await client.open("POST", "/v1/archives", {
      query: { settings: options.settings ? "keep" : "drop", as: options.as },
      headers: { "content-type": "application/gzip" },
      body: Readable.toWeb(stream) as unknown as ReadableStream,
    });
    const answer = (await response.json().catch((cause: unknown) => {
      const what = `${description} stopped answering; whether the archive was imported is not known.`;
      throw new AppError("service_unreachable", what, { cause });
    })) as Imported;
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : describe(answer));
    return 0;
  }).finally(() => stream.destroy());
}

function describe({ id, files, messages, facts, pendingEmbeddings }: Imported): string {
  const rest = pendingEmbeddings === 0 ? "" : ` ${pendingEmbeddings} embeddings are made in the background.`;
  return `Imported ${id}: ${files} files, ${messages} messages, ${facts} facts.${rest}\n`;
}
