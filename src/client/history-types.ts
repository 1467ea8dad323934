/** An earlier text of a file. */
export interface FileVersion {
  /** The version's number, by which it is read and restored. */
  version: string;
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  origin: string | null;
  writtenAt: string;
  /**
   * A key's prefix, `local` or `system`, followed by the route of the write, such as `tool:memory`.
   * Null for versions from before the writer was recorded.
   */
  writtenBy: string | null;
  /** The time at which another text replaced this one, or the file was deleted. */
  endedAt: string;
  endedBy: string;
  /** Whether the version ended because the file was deleted. */
  deleted: boolean;
}

/** A version with its text. */
export interface FileVersionText extends FileVersion {
  content: string;
}

/** The current text of a file. */
export interface CurrentVersion {
  hash: string;
  size: number;
  lines: number;
  writtenAt: string;
  writtenBy: string | null;
}

export interface VersionPage {
  path: string;
  /** The current text; null when the file does not exist. */
  current: CurrentVersion | null;
  /** The earlier versions, newest first. */
  versions: FileVersion[];
  nextCursor?: string | undefined;
}

/** Deleted files in path order, each with its last version. */
export interface DeletedFilePage {
  versions: FileVersion[];
  nextCursor?: string | undefined;
}

export interface VersionDiff {
  path: string;
  from: string;
  /** The version on the right side of the diff; null: the current text of the file. */
  to: string | null;
  /** A unified diff; empty when the texts are equal. */
  diff: string;
  /**
   * Whether the diff shows single changes. False when the texts have too little in common; the diff
   * then replaces the whole text.
   */
  exact: boolean;
}

export interface ForgottenVersions {
  path: string;
  versions: number;
}

/** A change to a file or a fact. */
export interface Change {
  at: string;
  /** The kind of change, such as `file.changed` or `fact.forgotten`. */
  kind: string;
  /** The path of the file, or `facts/{id}` of a fact. */
  path: string;
  by: string | null;
  /**
   * The number of the version under which the file's text can be read, once that text was replaced
   * or deleted.
   */
  version?: string | undefined;
  hash?: string | undefined;
}

export interface ChangePage {
  changes: Change[];
  /** The position after this page, from which to continue now or later. */
  cursor: string;
  /** Whether more changes exist by now. */
  more: boolean;
}

/** The start of a feed: a time, or the position after a page. */
export interface ChangePosition {
  /** An ISO 8601 time. */
  since?: string | undefined;
  cursor?: string | undefined;
}

export interface SnapshotInput {
  name: string;
  /**
   * The time at which the snapshot is deleted, as an ISO 8601 time; default: it is kept until
   * somebody deletes it.
   */
  expiresAt?: string | undefined;
}

/** A saved state of an agent's files and facts, to which a rollback can return. */
export interface Snapshot {
  name: string;
  takenAt: string;
  takenBy: string;
  expiresAt: string | null;
  files: number;
  bytes: number;
  facts: number;
}

export interface SnapshotList {
  snapshots: Snapshot[];
}

export interface DeletedSnapshot {
  deleted: string;
}

/**
 * The differences between the current state and a snapshot: paths of files and ids of facts, at
 * most 1,000 of each kind, and the total number.
 */
export interface SnapshotDifference {
  /**
   * `lost` lists files that have changed since the snapshot and that a rollback cannot restore:
   * either the former text was forgotten, or the path belongs to a shared memory.
   */
  files: { added: string[]; changed: string[]; removed: string[]; lost: string[]; total: number };
  facts: { added: string[]; changed: string[]; removed: string[]; total: number };
}

export interface RolledBack extends SnapshotDifference {
  /**
   * The name of a snapshot of the state before the rollback, with which the rollback can be undone.
   */
  undo: string;
}
