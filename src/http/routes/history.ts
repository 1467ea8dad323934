import { z } from "@hono/zod-openapi";
import type { SSEMessage } from "hono/streaming";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { readChanges, readRecentChanges } from "../../service/history/read-changes.ts";
import { compareSnapshot, rollBack } from "../../service/history/roll-back.ts";
import { listAgentSnapshots, removeSnapshot, takeSnapshot } from "../../service/history/snapshots.ts";
import {
  changePage,
  deletedSnapshot,
  difference,
  rolledBack,
  snapshotInput,
  snapshotList,
  takenSnapshot,
} from "../history-schemas.ts";
import { checkKey } from "../middleware/authentication.ts";
import { routesOf } from "../route.ts";
import { json, nothing } from "../schemas.ts";
import { answerEvents } from "../streams/answer-events.ts";
import { createChangeStreams } from "../streams/change-streams.ts";
import { onceHeaders } from "../write-headers.ts";

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

/** The changes to an agent's memory, its snapshots, and the rollback to one. */
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
  route("GET /v1/agents/{agentId}/snapshots", {
    operationId: "snapshotsList",
    summary: "An agent's snapshots, newest first",
    description: "Shows when each snapshot was taken and when it expires.",
    scope: "agent:read",
    answer: json(snapshotList, "All of them"),
    run: async (deps, caller, { params }) => ({ snapshots: await listAgentSnapshots(deps, caller, params.agentId) }),
  }),
  route("POST /v1/agents/{agentId}/snapshots", {
    operationId: "snapshotsTake",
    summary: "Take a snapshot of an agent's files and facts, for a later rollback",
    description: "An agent has at most 50. It copies nothing: what changes from now on is kept.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(snapshotInput, "The snapshot's name, and optionally when it expires"),
    status: 201,
    answer: json(takenSnapshot, "The snapshot; only later changes take storage"),
    run: (deps, caller, { params, body }) => takeSnapshot(deps, caller, params.agentId, body),
  }),
  route("DELETE /v1/agents/{agentId}/snapshots/{snapshot}", {
    operationId: "snapshotsDelete",
    summary: "Delete a snapshot, and the texts that were kept only for it",
    description: "The memory itself does not change. Texts that another snapshot or the history needs stay.",
    scope: "tenant",
    headers: onceHeaders,
    answer: json(deletedSnapshot, "The memory stays as it is"),
    run: (deps, caller, { params }) => removeSnapshot(deps, caller, params.agentId, params.snapshot),
  }),
  route("GET /v1/agents/{agentId}/snapshots/{snapshot}/diff", {
    operationId: "snapshotsDiff",
    summary: "What has changed since a snapshot",
    description: "Lists files and facts that were added, changed or removed since the snapshot was taken.",
    scope: "agent:read",
    answer: json(difference, "The differences in files and in facts"),
    run: (deps, caller, { params }) => compareSnapshot(deps, caller, params.agentId, params.snapshot),
  }),
  route("POST /v1/agents/{agentId}/snapshots/{snapshot}/rollback", {
    operationId: "snapshotsRollback",
    summary: "Roll an agent's files and facts back to a snapshot, all or nothing",
    description:
      "Restores up to 20,000 files, 20,000 facts and 64 MB in one transaction. Sessions stay, and so do files of the " +
      "server's folders.",
    scope: "tenant",
    headers: onceHeaders,
    body: nothing,
    answer: json(rolledBack, "The changes that were undone; `undo` is a snapshot of the state before"),
    run: (deps, caller, { params }) => rollBack(deps, caller, params.agentId, params.snapshot),
  }),
];
