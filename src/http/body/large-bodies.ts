import type { z } from "@hono/zod-openapi";
import { captureInput } from "../fact-schemas.ts";
import { fileBody, filesInput } from "../file-schemas.ts";
import { appendInput } from "../session-schemas.ts";

/**
 * The schemas whose bodies may have several megabytes: files and conversations. Any other body is
 * settings, a question or a few facts.
 */
export const LARGE_BODIES = { file: fileBody, files: filesInput, messages: appendInput, turn: captureInput };

export type LargeBody = keyof typeof LARGE_BODIES;

/**
 * Returns the name under which a thread knows a route's schema; undefined if the route's bodies are
 * small.
 */
export function largeBodyOf(schema: z.ZodType): LargeBody | undefined {
  return (Object.keys(LARGE_BODIES) as LargeBody[]).find((name) => (LARGE_BODIES[name] as z.ZodType) === schema);
}
