import { z } from "@hono/zod-openapi";
import { AppError } from "../../base/errors.ts";
import { imported } from "../../http/administration-schemas.ts";
import type { Route } from "../../http/context.ts";
import { routesOf } from "../../http/route.ts";
import { ARCHIVE_PATH, ARCHIVE_TYPE, json } from "../../http/schemas.ts";
import { streamLimit } from "../../http/stream-limit.ts";
import { exportAgent } from "./export-agent.ts";
import { importAgent } from "./import-agent.ts";

const MOST_EXPORTS = 4;
const MOST_IMPORTS = 2;

const exportQuery = z.strictObject({
  vectors: z.enum(["true", "false"]).default("false").openapi({ description: "Whether to include embeddings" }),
});

const importQuery = z.strictObject({
  as: z.string().optional().openapi({ description: "The new agent's id; default: the id in the archive" }),
  settings: z
    .enum(["keep", "drop"])
    .default("keep")
    .openapi({ description: "`drop`: ignore the archive's settings and limits" }),
});

const archive = (description: string) => ({ description, content: { [ARCHIVE_TYPE]: { schema: z.string() } } });

const route = routesOf("Agents");

/**
 * Returns the routes that export and import agents.
 *
 * @param maxBytes the largest unpacked size of an archive
 */
export const archiveRoutes = (maxBytes: number): Route[] => [
  route("GET /v1/agents/{agentId}/archive", {
    operationId: "agentsExport",
    summary: "An agent's memory as a portable archive: gzip'd JSON lines",
    description: "The archive is the memory of one moment. A tenant has one export at a time on a server.",
    scope: "tenant",
    query: exportQuery,
    answer: archive("The archive, as a stream"),
    handle: ({ service }) => {
      const takePlace = streamLimit(MOST_EXPORTS, "export");
      return async ({ c, caller, params: { agentId }, query }) => {
        const free = takePlace(caller.tenantId);
        const options = { vectors: query.vectors === "true" };
        const exported = await exportAgent(service, caller, agentId, options).catch((error: unknown) => {
          free();
          throw error;
        });
        const counted = new TransformStream<Uint8Array, Uint8Array>();
        // The HTTP server appends the message of a stream's error to the bytes already sent, so the
        // export's own error is not passed on.
        const breakOff = () => counted.writable.abort(new Error("The export ended early."));
        void exported
          .pipeTo(counted.writable, { preventAbort: true })
          .catch(breakOff)
          .catch(() => undefined)
          .finally(free);
        return c.body(counted.readable, 200, {
          "content-type": ARCHIVE_TYPE,
          "content-disposition": `attachment; filename="${agentId}.archive"`,
          "cache-control": "no-store",
        });
      };
    },
  }),
  route(`POST ${ARCHIVE_PATH}`, {
    operationId: "agentsImport",
    summary: "Create an agent from an archive, all or nothing",
    description: "An id that exists is refused; `as` names another. A tenant has one import at a time on a server.",
    scope: "tenant",
    query: importQuery,
    body: archive("An archive"),
    status: 201,
    answer: json(imported, "The contents of the archive"),
    handle: ({ service }) => {
      const takePlace = streamLimit(MOST_IMPORTS, "import");
      return async ({ c, caller, query: { as, settings } }) => {
        const sent = c.req.raw.body;
        if (sent === null) throw new AppError("archive_invalid", "The request has no body; send an archive.");
        const free = takePlace(caller.tenantId);
        try {
          return c.json(await importAgent(service, caller, sent, { as, settings: settings === "keep", maxBytes }), 201);
        } finally {
          free();
        }
      };
    },
  }),
];
