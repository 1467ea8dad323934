import { z } from "zod";
import { AGENT_ID } from "./agent-id.ts";
import { parseStrictly } from "./parse-strictly.ts";

/** A text that goes into session keys: without control characters, and bounded. */
const label = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

/** The parts of a message that a rule compares; a rule without any part is the default route. */
export const matchParts = z.strictObject({
  channel: label.optional(),
  accountId: label.optional(),
  peer: z.strictObject({ kind: label, id: label }).optional(),
});

const match = matchParts.refine(
  (value) => Object.values(value).some((part) => part !== undefined),
  "must name a channel, accountId or peer",
);

/** OpenClaw lower-cases ids before it compares them, so a pasted file may have capitals in them. */
const agentId = z
  .string()
  .transform((id) => id.toLowerCase())
  .pipe(z.string().regex(AGENT_ID, "must be an agent id: lower-case letters, digits, - or _, at most 63"));

/**
 * A rule without `match` is the default route. An empty `match` is refused: somebody may have
 * forgotten to fill it.
 */
const bindingSchema = z.strictObject({ agentId, match: match.optional() });
/** The most bindings of a tenant. */
export const MAX_BINDINGS = 1000;
const bindingsSchema = z.array(bindingSchema).max(MAX_BINDINGS);

/** A rule that routes a message to an agent. */
export type Binding = z.infer<typeof bindingSchema>;

/** @throws AppError `invalid_settings` */
export function parseBinding(value: unknown, path: string): Binding {
  return parseStrictly(bindingSchema as z.ZodType<Binding>, value, path);
}

/** @throws AppError `invalid_settings`, naming the path of each bad key */
export function parseBindings(value: unknown, path: string): Binding[] {
  return parseStrictly(bindingsSchema as z.ZodType<Binding[]>, value, path);
}
