import { z } from "@hono/zod-openapi";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { readChanges } from "../../service/history/read-changes.ts";
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

const position = {
  since: timestamp.optional().openapi({ description: "Only changes from this time on" }),
  cursor: z.string().max(512).optional().openapi({ description: "The `cursor` of an earlier page" }),
};
const changesQuery = z.strictObject({
  ...position,
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const route = routesOf("History");

/** The changes to an agent's memory, its snapshots, and the rollback to one. */
export const historyRoutes = [
  route("GET /v1/agents/{agentId}/changes", {
    operationId: "changesList",
    summary: "The changes of files and facts, oldest first",
    description: "A change is shown some seconds after it was made, when no older change can follow.",
    scope: "agent:read",
    query: changesQuery,
    answer: json(changePage, "One page; pass its `cursor` for the changes after it, now or later"),
    run: (deps, caller, { params, query }) => readChanges(deps, caller, params.agentId, query),
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
        return answerEvents(c, deps, (signal) =>
          open({ caller, agentId, since, cursor, checkKey: () => checkKey(c, deps), signal }),
        );
      };
    },
  }),
  route("GET /v1/agents/{agentId}/snapshots", {
    operationId: "snapshotsList",
    summary: "An agent's snapshots, newest first",
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
    scope: "tenant",
    headers: onceHeaders,
    answer: json(deletedSnapshot, "The memory stays as it is"),
    run: (deps, caller, { params }) => removeSnapshot(deps, caller, params.agentId, params.snapshot),
  }),
  route("GET /v1/agents/{agentId}/snapshots/{snapshot}/diff", {
    operationId: "snapshotsDiff",
    summary: "What has changed since a snapshot",
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
