import { z } from "@hono/zod-openapi";

/** Most characters of one file; the CLI's own default is lower. */
export const MAX_FILE_CHARS = 4_000_000;
/** Most entries of one batch. */
export const MAX_BATCH = 100;
/** Most bytes of any request body. */
export const MAX_BODY_BYTES = 8_000_000;
export const MAX_QUERY_CHARS = 8_192;
export const MAX_RESULTS = 100;

export const agentParam = z.object({
  agentId: z.string().openapi({ param: { in: "path", name: "agentId" }, example: "main" }),
});

export const fileParam = agentParam.extend({
  path: z.string().openapi({ param: { in: "path", name: "path" }, example: "memory/2026-05-18.md" }),
});

export const errorBody = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      requestId: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .openapi("Error");

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const fileBody = z.strictObject({
  content: z.string().max(MAX_FILE_CHARS),
  /** When the file was last changed, as its author's file system says; the time of the request when absent. */
  mtime: instant.optional(),
});

export const writtenFile = z
  .object({
    path: z.string(),
    hash: z.string(),
    status: z.enum(["created", "updated", "unchanged"]),
    chunks: z.int(),
    pendingEmbeddings: z.int(),
  })
  .openapi("WrittenFile");

export const fileSummary = z.object({
  path: z.string(),
  hash: z.string(),
  size: z.int(),
  lines: z.int(),
  mtime: z.string(),
});

/** The responses every route can give besides its own. */
export const errorResponses = {
  default: { description: "An error: see `code`", content: { "application/json": { schema: errorBody } } },
} as const;

/** A JSON response or request body. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}
