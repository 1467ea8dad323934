import { z } from "zod";
import { isTimeZone } from "../../base/civil-day.ts";
import { markSchema } from "../../base/describe-schema.ts";
import { isOriginName, MAX_ORIGIN_CHARS } from "./origin-name.ts";

const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59Z");

const NO_TIME = "must be an ISO 8601 time, such as 2026-05-18T12:00:00Z";

/** A date and time that Postgres and JSON both write with four digits of year. */
export const timestamp = makeTimestamp();

/** The same for a time up to which something counts: a model's day stands for its last moment. */
export const timeUntil = markSchema(makeTimestamp(), "day ends");

function makeTimestamp() {
  return z.iso
    .datetime({ offset: true, error: ({ code }) => (code === "invalid_format" ? NO_TIME : undefined) })
    .transform((text) => new Date(text))
    .refine((at) => at.getTime() >= EARLIEST && at.getTime() <= LATEST, "must lie in the years 1 to 9999");
}

/** The name of a time zone, in which days begin and end. */
export const timeZone = z.string().max(64).refine(isTimeZone, "must be the name of a time zone, such as Europe/Lisbon");

/** The most hits that a search returns. */
export const MAX_RESULTS = 100;

/**
 * A question or key words. The schema sets no greatest length, because a search cuts a long question
 * (`search/cut-request.ts`).
 */
export const queryText = markSchema(
  z.string().refine((text) => text.trim() !== "", "must not be empty"),
  "words",
);

/** A name, key or tag: short, and unable to break a line of a prompt or a log. */
export const oneLine = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line without control characters");

/**
 * The user, agent and conversation that a fact or a conversation is for. An absent part means all
 * users, agents or conversations.
 */
export const factScope = z.strictObject({
  user: oneLine.optional().describe("The user it is about, by your name or id for them"),
  agent: oneLine.optional().describe("The agent it is for"),
  session: oneLine.optional().describe("The conversation it is for"),
});

/** The name of a snapshot. */
export const snapshotName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be 1 to 63 lower-case letters, digits, dots, dashes or underscores");

/** The name of an origin, such as a folder that is synced. */
export const originName = z
  .string()
  .max(MAX_ORIGIN_CHARS)
  .refine(isOriginName, "must be printable text, without space around it");

const origin = z
  .object({ origin: z.string(), files: z.int() })
  .meta({ id: "Origin", description: "A folder from which files are synced" });
/** The origins of an agent's files. */
export const originList = z.object({ origins: z.array(origin) });
