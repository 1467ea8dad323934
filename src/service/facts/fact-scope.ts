import { z } from "zod";

/** A name, a key, a tag: short, and such that it cannot break a line of a prompt or a log. */
export const oneLine = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line without control characters");

/** Whom and what a fact is for; an absent part is everybody, everything. */
export const factScope = z.strictObject({
  user: oneLine.optional().describe("The user it is about, by your name or id for them"),
  agent: oneLine.optional().describe("The agent it is for"),
  session: oneLine.optional().describe("The conversation it is for"),
});
