import { AppError } from "../../base/errors.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { decodeUtf8 } from "../../ingest/normalise.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import { documentTypeOf, isTextual, MAX_DOCUMENT_BYTES } from "../../service/files/document-type.ts";
import { DOCUMENTS_OFF, type HookedFileDeps, readDocument } from "../../service/files/file-hooks.ts";
import type { FoundFile } from "./walk-extra-path.ts";

/** The most bytes of a text file, the same limit as for texts over the API. */
const MAX_TEXT_BYTES = 4_000_000;

/** Returns the most bytes of a file that are read at a path. */
export function maxBytesAt(path: string): number {
  const type = documentTypeOf(path);
  return type === undefined || isTextual(type) ? MAX_TEXT_BYTES : MAX_DOCUMENT_BYTES;
}

/**
 * The result of reading a file. It is the file's text, or `unreadable` if reading failed and may
 * succeed later. It is `rejected` if the file cannot become memory unless it changes: it is too
 * large, neither text nor a readable document, or no longer a file. It is `missing`, with the
 * sentence for the operator, if this server does not read such documents: it lacks a package, or the
 * feature is switched off.
 */
export type ExtraText = { content: string; original?: FileOriginal } | "unreadable" | "rejected" | { missing: string };

/**
 * Reads a file of an extra path; a document is read as its text.
 *
 * @param path the file's path in the memory
 */
export async function readExtraFile(
  deps: HookedFileDeps,
  agent: KnownAgent,
  path: string,
  file: FoundFile,
): Promise<ExtraText> {
  let bytes: Buffer | "not a file" | "too large";
  try {
    bytes = await file.read(maxBytesAt(path));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "rejected" : "unreadable";
  }
  const type = documentTypeOf(path);
  if (typeof bytes === "string" || (!type && bytes.includes(0))) return "rejected";
  if (type && deps.hooks.readDocument.length === 0) return { missing: DOCUMENTS_OFF };
  try {
    if (!type) return { content: decodeUtf8(bytes) };
    // The bytes are copied, because their memory is handed over to a thread.
    return await readDocument(deps, agent.tenantId, agent, path, { type, bytes: new Uint8Array(bytes) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "converter_missing") return { missing: error.message };
    if (["invalid_encoding", "document_unreadable", "payload_too_large"].includes(error.code)) return "rejected";
    throw error;
  }
}
