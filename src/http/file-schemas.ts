import { z } from "@hono/zod-openapi";
import { originName, timestamp } from "../service/core/scalar-schemas.ts";
import { orNull, paged } from "./schemas.ts";

/** The most characters of one file; the CLI's own default is lower. */
const MAX_FILE_CHARS = 4_000_000;
/** The most entries of one batch. */
export const MAX_BATCH = 100;

export const ORIGIN =
  "The source that the files are synced from, such as a folder. It becomes the origin of each file that is written";
export const TAKE_OVER =
  "Also replace files of other origins, or of none. Deletions stay limited to the origin's own files";

export const fileBody = z
  .strictObject({
    content: z.string().max(MAX_FILE_CHARS),
    mtime: timestamp.optional().openapi({
      description: "When the file was last changed, by its author's file system; default: the time of the request",
    }),
  })
  .openapi("FileInput");

export const filesInput = z
  .strictObject({
    put: z
      .array(fileBody.extend({ path: z.string() }).openapi("NamedFile", { description: "A file to write" }))
      .max(MAX_BATCH)
      .default([]),
    delete: z.array(z.string()).max(MAX_BATCH).default([]),
    origin: originName.optional().openapi({ description: ORIGIN }),
    takeOver: z.boolean().default(false).openapi({ description: TAKE_OVER }),
  })
  .openapi("FilesInput", {
    description: "Up to 100 files to write and to delete; either all changes are made or none",
  });

export const writtenFile = z
  .object({
    path: z.string(),
    hash: z.string(),
    status: z.enum(["created", "updated", "unchanged"]),
    chunks: z.int(),
    pendingEmbeddings: z
      .int()
      .openapi({ description: "Chunks that only keyword search finds until a job has embedded them" }),
  })
  .openapi("WrittenFile");

export const writtenFiles = z
  .object({ files: z.array(writtenFile), deleted: z.array(z.string()) })
  .openapi("WrittenFiles");

export const deletedFiles = z.object({ deleted: z.array(z.string()) }).openapi("DeletedFiles");

const original = z
  .object({
    hash: z.string().openapi({ description: "SHA-256 of the document's bytes, in hex" }),
    type: z.string().openapi({ description: "The media type", example: "application/pdf" }),
    size: z.int(),
    pages: z.int().optional(),
  })
  .openapi("FileOriginal", { description: "The document that the content of a file was read from" });

const fileSummary = z
  .object({
    path: z.string(),
    hash: z.string(),
    size: z.int(),
    lines: z.int(),
    mtime: z.string(),
    origin: z.string().nullable().openapi({ description: "The synced folder that sent the current content" }),
    original: orNull(original, "The document that the content was read from; null: it was written as text"),
  })
  .openapi("FileSummary");

export const file = fileSummary.extend({ content: z.string() }).openapi("File", {
  description: "A file with its content",
});

export const filePage = paged({
  files: z.array(fileSummary.extend({ chunks: z.int() }).openapi("ListedFile")),
  folders: z
    .array(z.string())
    .optional()
    .openapi({ description: "With a delimiter: the folders that directly follow the prefix, with their slash" }),
}).openapi("FilePage");

export const chunkPage = paged({
  chunks: z.array(
    z
      .object({
        startLine: z.int(),
        endLine: z.int(),
        heading: z.string().openapi({ description: "The headings that the chunk is indexed under" }),
        messages: z
          .object({ from: z.int(), to: z.int() })
          .optional()
          .openapi({ description: "The first and the last message of the chunk, if it is of a conversation" }),
        embedded: z.boolean().nullable().openapi({ description: "Null in an index without vectors" }),
      })
      .openapi("ChunkBorders", { description: "The lines of a chunk, its heading, and whether it has an embedding" }),
  ),
}).openapi("ChunkPage");
