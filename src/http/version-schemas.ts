import { z } from "@hono/zod-openapi";
import { paged } from "./schemas.ts";

const by = z.string().openapi({
  description: "A key's prefix, `local` or `system`; then what it came through: `tool:memory`, `job:sync`, `restore`",
  example: "rcl_3f9a tool:memory",
});

const standing = z
  .object({
    hash: z.string(),
    size: z.int(),
    lines: z.int(),
    writtenAt: z.string(),
    writtenBy: by.nullable().openapi({ description: "Null before that was noted" }),
  })
  .openapi("CurrentVersion");

const fields = {
  version: z.string().openapi({ description: "Its number, by which it is read and restored", example: "1842" }),
  path: z.string(),
  hash: z.string(),
  size: z.int(),
  lines: z.int(),
  mtime: z.string(),
  origin: z.string().nullable(),
  writtenAt: z.string(),
  writtenBy: by.nullable(),
  endedAt: z.string().openapi({ description: "When another text took its place, or the file was deleted" }),
  endedBy: by,
  deleted: z.boolean().openapi({ description: "Whether it ended by the deletion of the file" }),
};

const fileVersion = z.object(fields).openapi("FileVersion");

export const versionText = z.object({ ...fields, content: z.string() }).openapi("FileVersionText");

export const versionPage = paged({
  path: z.string(),
  current: standing.nullable().openapi({ description: "What the file says now; null: there is no such file" }),
  versions: z.array(fileVersion),
}).openapi("VersionPage");

export const deletedPage = paged({ versions: z.array(fileVersion) }).openapi("DeletedFilePage");

export const versionDiff = z
  .object({
    path: z.string(),
    from: z.string(),
    to: z.string().nullable().openapi({ description: "Null: what the file says now" }),
    diff: z.string().openapi({ description: "A unified diff; empty when the texts are equal" }),
    exact: z.boolean().openapi({ description: "False: the texts have too little in common; the diff replaces all" }),
  })
  .openapi("VersionDiff");

export const forgottenVersions = z.object({ path: z.string(), versions: z.int() }).openapi("ForgottenVersions");
