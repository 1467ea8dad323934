import type { AgentClient } from "../../client/agent-client.ts";
import type { Owner, RemoteFile } from "./compare-files.ts";
import type { LocalFile, SkippedFile } from "./walk-folder.ts";

/** Refusals that one file of a batch can cause for all of it; others would come back for every file. */
export const ABOUT_A_FILE = new Set([
  "invalid_path",
  "invalid_request",
  "invalid_encoding",
  "payload_too_large",
  "quota_exceeded",
]);

export interface Sent {
  sent: number;
  /** Files that were there as they are, and are the folder's own now. */
  adopted: number;
  removed: number;
  chunks: number;
  /** Chunks the server still has to embed. */
  toEmbed: number;
  /** Files that the server refused. */
  refused: Refusal[];
  /** Files that could not be read again, or are being written. */
  unread: SkippedFile[];
}

export interface Refusal extends SkippedFile {
  hash: string;
  /** Because the memory is full, so that it may be taken later as it is. */
  overQuota: boolean;
  /** Because somebody else wrote it in the moment between looking and sending. */
  isOthers: boolean;
  /** Because it is a document that the server cannot read. */
  isSkipped?: true;
}

export interface Target extends Owner {
  memory: AgentClient;
  maxFileBytes: number;
  /** Files by path as the server has them; kept up to date. */
  known: Map<string, RemoteFile>;
}

/** What has to happen together: a put, a deletion, or both of a rename. */
export interface Unit {
  file?: LocalFile;
  /** The server has it so, and only learns whose it is. */
  isAdopted?: true;
  doomed?: string;
}
