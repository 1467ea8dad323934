/** What a file said before. */
export interface FileVersion {
  /** Its number, by which it is read and restored. */
  version: string;
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  origin: string | null;
  writtenAt: string;
  /** A key's prefix, `local` or `system`, then what it came through, such as `tool:memory`; null before that was noted. */
  writtenBy: string | null;
  /** When another text took its place, or the file was deleted. */
  endedAt: string;
  endedBy: string;
  /** Whether it ended by the deletion of the file. */
  deleted: boolean;
}

/** A version with its text. */
export interface FileVersionText extends FileVersion {
  content: string;
}

/** What a file says now. */
export interface CurrentVersion {
  hash: string;
  size: number;
  lines: number;
  writtenAt: string;
  writtenBy: string | null;
}

export interface VersionPage {
  path: string;
  /** Null: there is no such file. */
  current: CurrentVersion | null;
  /** Newest first. */
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
  /** Null: what the file says now. */
  to: string | null;
  /** A unified diff; empty when the texts are equal. */
  diff: string;
  /** False: the texts have too little in common; the diff replaces all. */
  exact: boolean;
}

export interface ForgottenVersions {
  path: string;
  versions: number;
}

/** Something that happened to a file or a fact. */
export interface Change {
  at: string;
  /** Such as `file.changed` or `fact.forgotten`. */
  kind: string;
  /** Of a fact `facts/{id}`. */
  path: string;
  by: string | null;
  /** Where what it said can be read, once that has ended. */
  version?: string | undefined;
  hash?: string | undefined;
}

export interface ChangePage {
  changes: Change[];
  /** Where to go on, now or later. */
  cursor: string;
  /** Whether there is more by now. */
  more: boolean;
}

/** Where a feed begins: at a time, or behind a page. */
export interface ChangePosition {
  /** An ISO 8601 time. */
  since?: string | undefined;
  cursor?: string | undefined;
}

export interface SnapshotInput {
  name: string;
  /** When it is deleted, as an ISO 8601 time; default: when somebody does it. */
  expiresAt?: string | undefined;
}

/** A state of an agent's files and facts to go back to. */
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

/** What is otherwise now than in a snapshot: paths and ids of facts, at most 1,000 of each kind, and how many in all. */
export interface SnapshotDifference {
  /** `lost`: files that have changed since and that a rollback leaves: the former text was forgotten, or the path is a shared memory's. */
  files: { added: string[]; changed: string[]; removed: string[]; lost: string[]; total: number };
  facts: { added: string[]; changed: string[]; removed: string[]; total: number };
}

export interface RolledBack extends SnapshotDifference {
  /** The snapshot of before, to undo it. */
  undo: string;
}
