import { AppError } from "../../base/errors.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import type { Registered } from "../core/hooks.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { DocumentType } from "./document-type.ts";
import type { FileDeps } from "./file-deps.ts";

/** A document, as a client sent it or as it was read from a file. */
export interface SentDocument {
  type: DocumentType;
  bytes: Uint8Array<ArrayBuffer>;
  charset?: string | undefined;
}

/** The text of a document, with the data of the original. */
export interface ReadDocument {
  content: string;
  original: FileOriginal;
}

/** The hooks of writes of files. */
export interface FileHooks {
  /**
   * Reads the text of a document that is to be the content of a file. The document's bytes may be
   * handed over to a thread, so the caller must not use them afterwards.
   *
   * @param agent the agent that has the file; undefined: the write will create it
   * @param path the path of the file
   * @throws AppError `document_unreadable` for a document that is encrypted, damaged or without
   *   text; `payload_too_large` for a document that takes more time, memory, pages or text than is
   *   allowed; `converter_missing` with the package to install
   */
  readDocument(
    deps: FileDeps,
    tenantId: string,
    agent: KnownAgent | undefined,
    path: string,
    document: SentDocument,
  ): Promise<ReadDocument>;
}

/** The dependencies of use cases that may store documents too. */
export interface HookedFileDeps extends FileDeps {
  readonly hooks: Registered<FileHooks>;
}

/** The sentence for a document that cannot be read because the feature is switched off. */
export const DOCUMENTS_OFF = "Documents are switched off on this server (RECOLLECT_FEATURES).";
const AS_TEXT =
  'The text of a document can be sent as JSON, {"content": "…"} with the header Content-Type: application/json.';

/**
 * Reads the text of a document.
 *
 * @throws AppError as the hook; `unsupported_media_type` if documents are switched off
 */
export async function readDocument(
  deps: HookedFileDeps,
  tenantId: string,
  agent: KnownAgent | undefined,
  path: string,
  document: SentDocument,
): Promise<ReadDocument> {
  const [read] = deps.hooks.readDocument;
  if (!read) throw new AppError("unsupported_media_type", `${DOCUMENTS_OFF} ${AS_TEXT}`);
  return read(deps, tenantId, agent, path, document);
}
