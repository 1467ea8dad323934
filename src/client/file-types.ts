/** What a write or deletion of a file depends on. */
export interface FileCondition {
  /** The hash that the file must have, or `*` for any. */
  ifMatch?: string | undefined;
  /** That there be no such file. */
  ifNoneMatch?: "*" | undefined;
}

export interface PutOptions extends FileCondition {
  /** When the file was last changed, as an ISO 8601 time; default: now. */
  mtime?: string | undefined;
}

export interface DocumentOptions extends PutOptions {
  /** The synced folder that sends it. */
  origin?: string | undefined;
  /** Whether the file becomes the origin's, whoever owned it. */
  takeOver?: boolean | undefined;
}

/** The document that a file's text was read from. */
export interface FileOriginal {
  /** SHA-256 of its bytes, in hex. */
  hash: string;
  /** Such as `application/pdf`. */
  type: string;
  size: number;
  pages?: number | undefined;
}

export interface FileFilter {
  prefix?: string | undefined;
  /** Rows of a page. */
  limit?: number | undefined;
  /** Only files of this origin. */
  origin?: string | undefined;
}

export interface FileListing extends FileFilter {
  /** Only what directly follows the prefix, and `folders` in place of what is in them. */
  delimiter?: "/" | undefined;
}

/** A file to write. */
export interface FileInput {
  path: string;
  content: string;
  /** When the file was last changed, as an ISO 8601 time; default: now. */
  mtime?: string | undefined;
}

/** Up to 100 files to write and as many to delete, all or nothing. */
export interface FilesInput {
  put?: readonly FileInput[] | undefined;
  delete?: readonly string[] | undefined;
  /** The synced folder that sends them: only what it has sent is changed and deleted, unless `takeOver`. */
  origin?: string | undefined;
  takeOver?: boolean | undefined;
}

export interface FileSummary {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  /** The synced folder that sent the current content. */
  origin: string | null;
  /** Null of a text that was written as such. */
  original: FileOriginal | null;
}

/** A file with its content. */
export interface File extends FileSummary {
  content: string;
}

export interface ListedFile extends FileSummary {
  chunks: number;
}

export interface FilePage {
  files: ListedFile[];
  /** With a delimiter: the folders that directly follow the prefix, with their slash. */
  folders?: string[] | undefined;
  nextCursor?: string | undefined;
}

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Found by words already, and by meaning when these are made. */
  pendingEmbeddings: number;
}

export interface WrittenFiles {
  files: WrittenFile[];
  deleted: string[];
}

export interface DeletedFiles {
  deleted: string[];
}

/** Where a chunk begins and ends. */
export interface ChunkBorders {
  startLine: number;
  endLine: number;
  /** The headings that it is indexed under. */
  heading: string;
  /** Of a conversation. */
  messages?: { from: number; to: number } | undefined;
  /** Null in an index for keywords alone. */
  embedded: boolean | null;
}

export interface ChunkPage {
  chunks: ChunkBorders[];
  nextCursor?: string | undefined;
}

/** A folder that files are synced from. */
export interface Origin {
  origin: string;
  files: number;
}

export interface OriginList {
  origins: Origin[];
}
