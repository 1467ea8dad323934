import { z } from "@hono/zod-openapi";
import {
  diffVersions,
  forgetVersions,
  getVersion,
  listDeleted,
  listFileVersions,
  restoreVersion,
} from "../../service/files/read-versions.ts";
import { writtenFile } from "../file-schemas.ts";
import {
  deletedPage,
  forgottenVersions,
  versionDiff,
  versionNumber,
  versionPage,
  versionText,
} from "../history-schemas.ts";
import { routesOf } from "../route.ts";
import { json, nothing, pageQuery } from "../schemas.ts";
import { conditionalHeaders, etagOf, expectedOf, onceHeaders } from "../write-headers.ts";

/** The path is in the query, as for chunks, because a path may end in `/versions`. */
const ofPath = pageQuery.extend({ path: z.string() });
const deletedQuery = pageQuery.extend({ prefix: z.string().max(1024).optional() });
const diffQuery = z.strictObject({
  to: versionNumber.optional().openapi({ description: "Another version of the file; default: its current text" }),
});

const route = routesOf("Files");

/** Earlier versions of files. */
export const versionRoutes = [
  route("GET /v1/agents/{agentId}/versions", {
    operationId: "versionsList",
    summary: "Earlier versions of a file, newest first",
    description:
      "A version is the text that a later write or a deletion replaced. How long versions are kept is a setting of the agent.",
    scope: "agent:read",
    query: ofPath,
    answer: json(versionPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => listFileVersions(deps, caller, params.agentId, query),
  }),
  route("DELETE /v1/agents/{agentId}/versions", {
    operationId: "versionsForget",
    summary: "Delete all earlier versions of a file for good",
    description: "Use it for a secret that a file has had.",
    scope: "tenant",
    headers: onceHeaders,
    query: z.strictObject({ path: z.string() }),
    answer: json(forgottenVersions, "The versions are deleted, from snapshots too; the file stays"),
    run: (deps, caller, { params, query }) => forgetVersions(deps, caller, params.agentId, query.path),
  }),
  route("GET /v1/agents/{agentId}/deleted-files", {
    operationId: "versionsDeleted",
    summary: "Deleted files that can be restored, in path order",
    description: "Shows each deleted file whose last text is still kept, with the version to restore.",
    scope: "agent:read",
    query: deletedQuery,
    answer: json(deletedPage, "One page, with the last version of each file"),
    run: (deps, caller, { params, query }) => listDeleted(deps, caller, params.agentId, query),
  }),
  route("GET /v1/agents/{agentId}/versions/{version}", {
    operationId: "versionsGet",
    summary: "Read one earlier version of a file",
    description: "Answers with the whole text of the version, and with the time and author of the write.",
    scope: "agent:read",
    answer: json(versionText, "The version, byte for byte"),
    run: (deps, caller, { params }) => getVersion(deps, caller, params.agentId, params.version),
  }),
  route("GET /v1/agents/{agentId}/versions/{version}/diff", {
    operationId: "versionsDiff",
    summary: "What changed since a version, or between two versions",
    description: "Answers with a unified diff from the version to another one, or to the file's present text.",
    scope: "agent:read",
    query: diffQuery,
    answer: json(versionDiff, "A unified diff"),
    run: (deps, caller, { params, query }) => diffVersions(deps, caller, params.agentId, params.version, query.to),
  }),
  route("POST /v1/agents/{agentId}/versions/{version}/restore", {
    operationId: "versionsRestore",
    summary: "Restore a version's text to its path, also for a deleted file",
    description: "Also works for a deleted file. The conditions hold for the file that is at the path now.",
    scope: "agent:write",
    headers: conditionalHeaders,
    body: nothing,
    answer: json(writtenFile, "The written file; the text that it replaced is now a version"),
    run: async (deps, caller, { c, params }) => {
      const expectedAt = (path: string) => expectedOf(c, path);
      const written = await restoreVersion(deps, caller, params.agentId, params.version, expectedAt);
      c.header("ETag", etagOf(written.hash));
      return written;
    },
  }),
];
