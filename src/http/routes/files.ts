import { z } from "@hono/zod-openapi";
import { AppError } from "../../base/errors.ts";
import { originList, originName, timestamp } from "../../service/core/scalar-schemas.ts";
import type { Claim } from "../../service/files/file-origins.ts";
import { listChunks } from "../../service/files/read-chunks.ts";
import { getFile, listAgentFiles, listFileOrigins } from "../../service/files/read-files.ts";
import type { WrittenFile } from "../../service/files/write-batch.ts";
import { writeDocument } from "../../service/files/write-document.ts";
import { deleteFile, writeFiles } from "../../service/files/write-files.ts";
import {
  chunkPage,
  deletedFiles,
  file,
  fileBody,
  filePage,
  filesInput,
  MAX_BATCH,
  ORIGIN,
  TAKE_OVER,
  writtenFile,
  writtenFiles,
} from "../file-schemas.ts";
import { routesOf } from "../route.ts";
import { json, jsonOrDocument, named, readerOf, scopeQuery } from "../schemas.ts";
import { conditionalHeaders, etagOf, expectedOf, onceHeaders } from "../write-headers.ts";

const listQuery = z.strictObject({
  prefix: z.string().max(1024).optional().openapi({ description: "Only paths that begin with this text" }),
  origin: originName.optional().openapi({ description: "Only files of this origin; not together with `delimiter`" }),
  delimiter: z.literal("/").optional().openapi({
    description: "With `/`: list only the files directly under the prefix, and the subfolders as `folders`",
  }),
  cursor: z.string().max(2048).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

const chunksQuery = z.strictObject({
  path: z.string().openapi({ description: "The path of a file, a session (`sessions/monday`) or a fact (`facts/12`)" }),
  cursor: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  ...scopeQuery,
});

const putQuery = z.strictObject({
  /** The time of a document's last change, like `mtime` in the JSON body. */
  mtime: timestamp.optional().openapi({ description: "When the document was last changed; JSON has its own" }),
  origin: originName.optional().openapi({ description: ORIGIN }),
  takeOver: z.stringbool().default(false).openapi({ type: "boolean", description: TAKE_OVER }),
});

function claimOf(origin: string | undefined, takeOver: boolean): Claim | undefined {
  if (takeOver && origin === undefined)
    throw new AppError("invalid_request", "takeOver needs an origin, to which the files then belong.");
  return origin === undefined ? undefined : { origin, takeOver };
}

async function writeOne(...given: Parameters<typeof writeFiles>): Promise<WrittenFile> {
  return (await writeFiles(...given)).files[0] as WrittenFile;
}

const route = routesOf("Files");

export const fileRoutes = [
  route("GET /v1/agents/{agentId}/files", {
    operationId: "filesList",
    summary: "List an agent's files in path order",
    description:
      "With `delimiter=/` the answer lists only what directly follows the prefix: files, and `folders` in place of " +
      "their contents.",
    scope: "agent:read",
    query: listQuery,
    answer: json(filePage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => listAgentFiles(deps, caller, params.agentId, query),
  }),
  route("POST /v1/agents/{agentId}/files", {
    operationId: "filesBatch",
    summary: "Write and delete files, all or nothing",
    description:
      "With `origin` the batch changes and deletes only files of that origin. If a path belongs to another origin " +
      "or to none, the answer is `origin_conflict` (409) and nothing is done.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(filesInput, "At most 100 files in all"),
    answer: json(writtenFiles, "The whole batch is durable"),
    run: (deps, caller, { params, body: { origin, takeOver, ...batch } }) => {
      const entries = batch.put.length + batch.delete.length;
      if (entries === 0) throw new AppError("invalid_request", "The batch is empty; put or delete at least one file.");
      if (entries > MAX_BATCH)
        throw new AppError("invalid_request", `A batch has at most ${MAX_BATCH} files; send the rest in another.`);
      return writeFiles(deps, caller, params.agentId, { ...batch, claim: claimOf(origin, takeOver) });
    },
  }),
  route("GET /v1/agents/{agentId}/files/{path}{.+}", {
    operationId: "filesGet",
    summary: "Read one whole file",
    description: "The answer's `ETag` is the file's hash. A path inside the agent's `extraPaths` is absolute.",
    scope: "agent:read",
    answer: json(file, "The file, byte for byte"),
    run: async (deps, caller, { c, params }) => {
      const found = await getFile(deps, caller, params.agentId, params.path);
      c.header("ETag", etagOf(found.hash));
      return found;
    },
  }),
  route("PUT /v1/agents/{agentId}/files/{path}{.+}", {
    operationId: "filesPut",
    summary: "Write one file, from its text or from a document",
    description:
      "The media type decides: JSON with a text, or the bytes of a PDF, HTML page or Word document of at most " +
      "16 MB, whose text is stored as Markdown. The answer's `ETag` is the file's hash.",
    scope: "agent:write",
    headers: conditionalHeaders,
    query: putQuery,
    body: jsonOrDocument(fileBody, "The text of the file, or a document whose text becomes it"),
    answer: json(writtenFile, "Durable, and found by keyword from now on"),
    run: async (deps, caller, { c, params: { agentId, path }, query, body }) => {
      const { origin, takeOver, mtime } = query;
      const claim = claimOf(origin, takeOver);
      const expected = expectedOf(c, path);
      const written =
        "bytes" in body
          ? await writeDocument(deps, caller, agentId, { path, document: body, mtime, expected, claim })
          : await writeOne(deps, caller, agentId, { put: [{ path, ...body }], delete: [], expected, claim });
      c.header("ETag", etagOf(written.hash));
      return written;
    },
  }),
  route("DELETE /v1/agents/{agentId}/files/{path}{.+}", {
    operationId: "filesDelete",
    summary: "Delete one file",
    description: "The text stays as a version for as long as the setting `history.retentionDays` says.",
    scope: "agent:write",
    headers: conditionalHeaders,
    answer: json(deletedFiles, "The file and its chunks are deleted"),
    run: async (deps, caller, { c, params: { agentId, path } }) => ({
      deleted: [await deleteFile(deps, caller, agentId, path, expectedOf(c, path))],
    }),
  }),
  route("GET /v1/agents/{agentId}/chunks", {
    operationId: "filesChunks",
    summary: "The chunks of a file, session or fact: where each begins and ends",
    description:
      "With `user`, `agent` or `session`, a conversation or fact that this scope does not see counts as missing.",
    scope: "agent:read",
    query: chunksQuery,
    answer: json(chunkPage, "One page in the order of the document; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query: { path, cursor, limit, ...scope } }) =>
      listChunks(deps, caller, params.agentId, { path, cursor, limit, reader: readerOf(scope) }),
  }),
  route("GET /v1/agents/{agentId}/origins", {
    operationId: "filesOrigins",
    summary: "List the folders that an agent's files are synced from",
    description:
      "A folder that a client keeps in sync has a name, its origin, and owns the files that it sent. The origins with the most files come first.",
    scope: "agent:read",
    answer: json(named(originList, "OriginList"), "At most 1,000, largest first"),
    run: (deps, caller, { params }) => listFileOrigins(deps, caller, params.agentId),
  }),
];
