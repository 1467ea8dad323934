import type { z } from "@hono/zod-openapi";
import { captureInput } from "../fact-schemas.ts";
import { fileBody, filesInput } from "../file-schemas.ts";
import { appendInput } from "../session-schemas.ts";

/** What a body of several megabytes may be: files and conversations. Any other is settings, a question or a few facts. */
export const LARGE_BODIES = { file: fileBody, files: filesInput, messages: appendInput, turn: captureInput };

export type LargeBody = keyof typeof LARGE_BODIES;

/** The name under which a thread knows a route's schema; undefined: its bodies are small. */
export function largeBodyOf(schema: z.ZodType): LargeBody | undefined {
  return (Object.keys(LARGE_BODIES) as LargeBody[]).find((name) => (LARGE_BODIES[name] as z.ZodType) === schema);
}
