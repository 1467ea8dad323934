import { z } from "@hono/zod-openapi";
import { orNull, paged } from "./schemas.ts";

export const versionNumber = z.string().regex(/^[1-9]\d{0,17}$/, "must be the number of a version");

const change = z
  .object({
    at: z.string(),
    kind: z.string().openapi({
      description:
        "`file.created`, `file.changed`, `file.deleted`, `fact.stored`, `fact.superseded`, `fact.updated`, `fact.forgotten`, `fact.expired`, by a merge `fact.merged`, by a rollback `fact.restored`, by either `fact.withdrawn`; newest first also `session.started`",
    }),
    path: z.string().openapi({ description: "The file's path; for a fact `facts/{id}`; for a conversation its path" }),
    by: z.string().nullable(),
    version: z.string().optional().openapi({
      description: "The version that keeps the file's text of that time, once another text has replaced it",
    }),
    hash: z.string().optional(),
    text: z
      .string()
      .optional()
      .openapi({
        description:
          "With `texts`, at most 400 characters: the fact, the file's text from the first changed line on, or the first message. " +
          "Of `fact.superseded`, the new fact. Absent: forgotten, or a file above 200,000 bytes",
      }),
    before: z.string().optional().openapi({
      description:
        "With `texts`: the text that it replaced or that was deleted, if it is still kept and was not forgotten",
    }),
    subject: z.string().optional().openapi({ description: "With `texts`: the subject of the fact" }),
    key: z.string().optional().openapi({ description: "With `texts`: the key of the fact" }),
    user: z.string().optional().openapi({ description: "With `texts`: the user of the scope" }),
  })
  .openapi("Change", { description: "A change of a file or a fact" });

export const changePage = z
  .object({
    changes: z.array(change),
    cursor: z.string().openapi({ description: "The cursor for later changes, to be used now or later" }),
    more: z.boolean().openapi({ description: "Whether there are already more changes" }),
  })
  .openapi("ChangePage");

const by = z.string().openapi({
  description: "A key's prefix, `local` or `system`; then the way in: `tool:memory`, `job:sync`, `restore`",
  example: "rcl_3f9a tool:memory",
});

const standing = z
  .object({
    hash: z.string(),
    size: z.int(),
    lines: z.int(),
    writtenAt: z.string(),
    writtenBy: by.nullable().openapi({ description: "Null for a file written before Recollect recorded the writer" }),
  })
  .openapi("CurrentVersion", { description: "The current text of a file" });

const fields = {
  version: z
    .string()
    .openapi({ description: "The version's number, with which it is read and restored", example: "1842" }),
  path: z.string(),
  hash: z.string(),
  size: z.int(),
  lines: z.int(),
  mtime: z.string(),
  origin: z.string().nullable(),
  writtenAt: z.string(),
  writtenBy: by.nullable(),
  endedAt: z.string().openapi({ description: "When another text replaced this version, or the file was deleted" }),
  endedBy: by,
  deleted: z.boolean().openapi({ description: "Whether the version ended because the file was deleted" }),
};

const fileVersion = z.object(fields).openapi("FileVersion", { description: "An earlier text of a file" });

export const versionText = z.object({ ...fields, content: z.string() }).openapi("FileVersionText", {
  description: "An earlier text of a file, with its content",
});

export const versionPage = paged({
  path: z.string(),
  current: orNull(standing, "The current text of the file; null: there is no such file"),
  versions: z.array(fileVersion).openapi({ description: "The earlier texts, newest first" }),
}).openapi("VersionPage");

export const deletedPage = paged({ versions: z.array(fileVersion) }).openapi("DeletedFilePage", {
  description: "Deleted files in path order, each with its last version",
});

export const versionDiff = z
  .object({
    path: z.string(),
    from: z.string(),
    to: z.string().nullable().openapi({ description: "Null: the current text of the file" }),
    diff: z.string().openapi({ description: "A unified diff; empty when the texts are equal" }),
    exact: z
      .boolean()
      .openapi({ description: "False: the texts have too little in common, and the diff replaces the whole text" }),
  })
  .openapi("VersionDiff");

export const forgottenVersions = z.object({ path: z.string(), versions: z.int() }).openapi("ForgottenVersions");
