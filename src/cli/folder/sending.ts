import type { AgentClient } from "../../client/agent-client.ts";
import type { Owner, RemoteFile } from "./compare-files.ts";
import type { LocalFile, SkippedFile } from "./walk-folder.ts";

/**
 * Error codes by which one file makes the server refuse a whole batch. Any other error would come
 * back for every file.
 */
export const ABOUT_A_FILE = new Set([
  "invalid_path",
  "invalid_request",
  "invalid_encoding",
  "payload_too_large",
  "quota_exceeded",
]);

export interface Sent {
  sent: number;
  /** The number of files that were on the server already and are now the folder's own. */
  adopted: number;
  removed: number;
  chunks: number;
  /** The number of chunks that the server still has to embed. */
  toEmbed: number;
  /** The files that the server refused. */
  refused: Refusal[];
  /** The files that could not be read again, or that are being written. */
  unread: SkippedFile[];
}

export interface Refusal extends SkippedFile {
  hash: string;
  /** Whether the memory is full. The same content may be accepted later. */
  overQuota: boolean;
  /** Whether another writer changed the file between the comparison and the request. */
  isOthers: boolean;
  /** Whether the file is a document that the server cannot read. */
  isSkipped?: true;
}

export interface Target extends Owner {
  memory: AgentClient;
  maxFileBytes: number;
  /** The files on the server, by path; kept up to date. */
  known: Map<string, RemoteFile>;
}

/** The smallest unit of a request: a put, a deletion, or both for a rename. */
export interface Unit {
  file?: LocalFile;
  /** Whether the server has the same content already, so that only the file's origin changes. */
  isAdopted?: true;
  doomed?: string;
}
