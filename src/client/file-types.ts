/** The condition under which a file is written or deleted. */
export interface FileCondition {
  /** The hash that the file must have now, or `*` for any hash. */
  ifMatch?: string | undefined;
  /** `*` requires that the file does not exist yet. */
  ifNoneMatch?: "*" | undefined;
}

export interface PutOptions extends FileCondition {
  /** The time of the file's last change, as an ISO 8601 time; default: now. */
  mtime?: string | undefined;
}

export interface DocumentOptions extends PutOptions {
  /** The name of the synced folder that sends the document. */
  origin?: string | undefined;
  /** Whether the file becomes the origin's file, regardless of its former owner. */
  takeOver?: boolean | undefined;
}

/** The document from which the text of a file was read. */
export interface FileOriginal {
  /** The SHA-256 of the document's bytes, in hex. */
  hash: string;
  /** The media type, such as `application/pdf`. */
  type: string;
  size: number;
  pages?: number | undefined;
}

export interface FileFilter {
  prefix?: string | undefined;
  /** The number of rows per page. */
  limit?: number | undefined;
  /** The origin whose files to list. */
  origin?: string | undefined;
}

export interface FileListing extends FileFilter {
  /**
   * With `/`, only the files directly under the prefix are listed. `folders` names the subfolders
   * instead of their files.
   */
  delimiter?: "/" | undefined;
}

/** A file to write. */
export interface FileInput {
  path: string;
  content: string;
  /** The time of the file's last change, as an ISO 8601 time; default: now. */
  mtime?: string | undefined;
}

/** Up to 100 files to write and up to 100 files to delete. Either all changes are made or none. */
export interface FilesInput {
  put?: readonly FileInput[] | undefined;
  delete?: readonly string[] | undefined;
  /**
   * The name of the synced folder that sends the files. Existing files are changed or deleted only
   * if this folder has sent them. With `takeOver`, `put` changes other files too.
   */
  origin?: string | undefined;
  takeOver?: boolean | undefined;
}

export interface FileSummary {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  /** The name of the synced folder that sent the current content. */
  origin: string | null;
  /** The original document; null for a file that was written as text. */
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
  /** With a delimiter, the folders directly under the prefix, each with a trailing slash. */
  folders?: string[] | undefined;
  nextCursor?: string | undefined;
}

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /**
   * The number of chunks without an embedding. They are found by words at once, and by meaning once
   * their embeddings are made.
   */
  pendingEmbeddings: number;
}

export interface WrittenFiles {
  files: WrittenFile[];
  deleted: string[];
}

export interface DeletedFiles {
  deleted: string[];
}

/** The first and last line of a chunk, its heading and its index state. */
export interface ChunkBorders {
  startLine: number;
  endLine: number;
  /** The headings above the chunk, which are indexed with it. */
  heading: string;
  /** In a conversation, the numbers of the first and the last message. */
  messages?: { from: number; to: number } | undefined;
  /** Whether the chunk has an embedding; null in an index for keywords only. */
  embedded: boolean | null;
}

export interface ChunkPage {
  chunks: ChunkBorders[];
  nextCursor?: string | undefined;
}

/** A folder from which files are synced. */
export interface Origin {
  origin: string;
  files: number;
}

export interface OriginList {
  origins: Origin[];
}
