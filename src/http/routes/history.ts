import { z } from "@hono/zod-openapi";
import type { SSEMessage } from "hono/streaming";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { readChanges, readRecentChanges } from "../../service/history/read-changes.ts";
import { changePage } from "../history-schemas.ts";
import { checkKey } from "../middleware/authentication.ts";
import { routesOf } from "../route.ts";
import { json } from "../schemas.ts";
import { answerEvents } from "../streams/answer-events.ts";
import { createChangeStreams } from "../streams/change-streams.ts";

const label = z.string().min(1).max(200).optional();

const position = {
  since: timestamp.optional().openapi({ description: "Only changes from this time on" }),
  cursor: z.string().max(512).optional().openapi({ description: "The `cursor` of an earlier page" }),
};
const changesQuery = z
  .strictObject({
    ...position,
    limit: z.coerce.number().int().min(1).max(1000).default(100).openapi({
      description: "A page with `texts` has at most 100",
    }),
    order: z.enum(["oldest", "newest"]).default("oldest").openapi({
      description: "`newest`: backwards from now. Shows changes at once, and also the beginnings of conversations",
    }),
    texts: z.stringbool().default(false).openapi({
      type: "boolean",
      description: "Also `text`, `before`, `subject`, `key` and `user` of each change",
    }),
    until: timestamp.optional().openapi({ description: "With `order=newest`: only changes up to this time" }),
    kind: z
      .string()
      .regex(/^[a-z]{1,10}(\.[a-z]{1,12})?$/, "must be a kind of change, or its first word")
      .optional()
      .openapi({
        description: "With `order=newest`: only this kind, such as `fact.stored`, or `file`, `fact`, `session`",
      }),
    person: label.openapi({
      description: "With `order=newest`: only facts about this person or for this user, and this user's conversations",
    }),
    key: label.openapi({ description: "With `order=newest`: only facts with this key" }),
    by: label.openapi({
      description: "With `order=newest`: only changes by this caller, a key's prefix, `local` or `system`",
    }),
  })
  .refine(
    ({ order, until, kind, person, key, by }) =>
      order === "newest" || [until, kind, person, key, by].every((value) => value === undefined),
    "until, kind, person, key and by need order=newest",
  );

type Pages = Awaited<ReturnType<ReturnType<typeof createChangeStreams>>>;

async function* eventsOf(pages: Pages): AsyncGenerator<SSEMessage> {
  for await (const page of pages) yield { event: "changes", id: page.cursor, data: JSON.stringify(page) };
}

const route = routesOf("History");

/** The changes to an agent's memory. */
export const historyRoutes = [
  route("GET /v1/agents/{agentId}/changes", {
    operationId: "changesList",
    summary: "The changes of files and facts, oldest first or newest first",
    description:
      "Oldest first, a change is shown some seconds after it was made, when no older change can follow. Newest first, it is " +
      "shown at once; a page with a filter looks at no more than 20,000 changes of a kind, so it may be short although `more` " +
      "is true.",
    scope: "agent:read",
    query: changesQuery,
    answer: json(changePage, "One page; pass its `cursor` for the changes after it, now or later"),
    run: (deps, caller, { params, query: { order, ...query } }) =>
      order === "newest"
        ? readRecentChanges(deps, caller, params.agentId, query)
        : readChanges(deps, caller, params.agentId, query),
  }),
  route("GET /v1/agents/{agentId}/changes/events", {
    operationId: "changesEvents",
    summary: "The changes of files and facts as server-sent events: first past changes, then new ones",
    description: "The limits of streams are those of `GET …/events`.",
    scope: "agent:read",
    query: z.strictObject(position),
    answer: {
      description:
        "Events named `changes`, each a page, with its cursor as id; `Last-Event-ID` continues after that page",
      content: { "text/event-stream": { schema: z.string() } },
    },
    handle: (deps) => {
      const open = createChangeStreams(deps);
      return ({ c, caller, params: { agentId }, query }) => {
        const cursor = c.req.header("last-event-id") ?? query.cursor;
        const since = cursor === undefined ? query.since : undefined;
        return answerEvents(c, deps, async (signal) =>
          eventsOf(await open({ caller, agentId, since, cursor, checkKey: () => checkKey(c, deps), signal })),
        );
      };
    },
  }),
];
