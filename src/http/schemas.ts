import { z } from "@hono/zod-openapi";
import { MEDIA_TYPES } from "../service/files/document-type.ts";
import type { SentDocument } from "../service/files/file-hooks.ts";

/** The most bytes of a body without files. */
export const MAX_SMALL_BODY_BYTES = 262_144;
/** The most bytes of a body with files. */
export const MAX_BODY_BYTES = 8_000_000;
/**
 * The most JSON values of a body with settings. Real settings have a few hundred at most, and the
 * use case describes every bad one.
 */
export const MAX_SETTINGS_VALUES = 2_000;
/** The path and the media type of archives, whose bodies are not JSON. */
export const ARCHIVE_PATH = "/v1/archives";
export const ARCHIVE_TYPE = "application/gzip";

const details = z.record(z.string(), z.unknown()).optional();

/** A problem of RFC 9457, with our code as an extra field. */
export const errorBody = z
  .object({
    type: z.string().openapi({ example: "urn:recollect:error:file_not_found" }),
    title: z.string().openapi({ example: "File not found" }),
    status: z.int().openapi({ example: 404 }),
    detail: z.string().openapi({ description: "A sentence that says what happened and how to fix it" }),
    instance: z.string().openapi({ example: "urn:recollect:request:0d9c…" }),
    code: z.string().openapi({ description: "Stable", example: "file_not_found" }),
    requestId: z.string(),
    details,
    error: z
      .object({ code: z.string(), message: z.string(), requestId: z.string(), details })
      .openapi({ description: "The same in an older format" }),
  })
  .openapi("Error", { description: "An error's body (RFC 9457)" });

export const name = z.string().trim().min(1).max(200);
/** A JSON object whose keys the use case checks. Its error names bad keys by their paths. */
export const jsonObject = z.record(z.string(), z.unknown());
export const pageQuery = z.strictObject({
  cursor: z.string().max(512).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const part = z.string().min(1).max(200).optional();
/** The parts of a scope in a query. */
export const scopeQuery = { user: part, agent: part, session: part };
/** The user of a host, such as `owner`, in an address that the host's settings name. */
export const userQuery = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line without control characters")
  .optional();

/**
 * Returns the scope whose view a query asks for; undefined if the query asks for the whole agent's
 * view.
 */
export function readerOf<T extends object>(scope: T): T | undefined {
  return Object.values(scope).some((value) => value !== undefined) ? scope : undefined;
}

/**
 * Copies a use case's schema and gives the copy a name in the reference. The use cases' zod does
 * not know `openapi`; the copy made here does.
 */
export function named<T extends z.ZodType>(schema: T, name: string): T {
  return (schema.clone() as T).openapi(name);
}

/**
 * Returns a schema for null or a value of a named schema. With `nullable()`, the reference would
 * add null and the description to the named schema itself.
 */
export function orNull<T extends z.ZodType>(schema: T, description: string) {
  return z.union([schema, z.null()]).openapi({ description });
}

/** Describes a JSON request or response body. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/**
 * Describes a request body that is JSON or a document's bytes. For a document, the route gets a
 * `SentDocument` instead of the parsed JSON.
 */
export function jsonOrDocument<T extends z.ZodType>(schema: T, description: string) {
  const bytes = z.string().openapi({ format: "binary" });
  const content = {
    "application/json": { schema },
    ...Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema: bytes }])),
  };
  return { description, content } as ReturnType<typeof json<z.ZodType<z.output<T> | SentDocument>>>;
}

/** The body of a request that needs no input. */
export const nothing = json(z.strictObject({}), "Nothing");

/** Returns the schema of one page of a listing. */
export function paged<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, nextCursor: z.string().optional() });
}
