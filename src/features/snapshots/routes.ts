import { routesOf } from "../../http/route.ts";
import { json, nothing } from "../../http/schemas.ts";
import { onceHeaders } from "../../http/write-headers.ts";
import { compareSnapshot, rollBack } from "./roll-back.ts";
import { deletedSnapshot, difference, rolledBack, snapshotInput, snapshotList, takenSnapshot } from "./schemas.ts";
import { listAgentSnapshots, removeSnapshot, takeSnapshot } from "./snapshots.ts";

const route = routesOf("History");

/** The snapshots of an agent, and the rollback to one. */
export const snapshotRoutes = [
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
