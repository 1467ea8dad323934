import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { ingestSent, readIngest, startIngest } from "./ingest-files.ts";
import { MAX_INGEST_CHARS } from "./ingest-text.ts";
import { ingestedText, ingestStatus } from "./schemas.ts";

const DRY_RUN = "Store nothing; return the facts that would be stored";

const ingestFiles = z
  .strictObject({
    paths: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(20)
      .optional()
      .openapi({ description: "Globs; default: the setting `facts.ingest.paths`" }),
    dryRun: z.boolean().optional().openapi({ description: DRY_RUN }),
  })
  .openapi("IngestInput");

const ingestText = z
  .strictObject({
    path: z.string().min(1).max(1024),
    content: z.string().max(MAX_INGEST_CHARS),
    from: z.int().min(0).max(MAX_INGEST_CHARS).optional().openapi({ description: "`next` of the previous answer" }),
    dryRun: z.boolean().optional().openapi({ description: DRY_RUN }),
  })
  .openapi("IngestTextInput", { description: "A text to extract facts from; the text itself is not stored" });

const route = routesOf("Facts");

export const ingestRoutes = [
  route("POST /v1/agents/{agentId}/ingest", {
    operationId: "ingestStart",
    summary: "Extract facts from an agent's matching files with a chat model",
    description: "Takes the place of a run in progress. It needs a chat model, which the operator sets up.",
    scope: "agent:write",
    body: json(ingestFiles, "Which files"),
    status: 202,
    answer: json(ingestStatus, "Started in the background; GET shows the progress"),
    run: (deps, caller, { params, body }) => startIngest(deps, caller, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/ingest", {
    operationId: "ingestGet",
    summary: "Progress and results of the last ingest of files",
    description: "Counts files, pieces and facts, and names files that failed with the reason.",
    scope: "agent:read",
    answer: json(ingestStatus, "The current run, or the last one"),
    run: (deps, caller, { params }) => readIngest(deps, caller, params.agentId),
  }),
  route("POST /v1/agents/{agentId}/ingest/text", {
    operationId: "ingestText",
    summary: "Extract facts from a text with a chat model, without storing the text",
    description:
      "One call works for up to 20 seconds. While the answer has `next`, send the text again with `from` set to it.",
    scope: "agent:write",
    body: json(ingestText, "A file of a workspace"),
    answer: json(ingestedText, "The result; `next` if there is more to do"),
    run: (deps, caller, { params, body }) => ingestSent(deps, caller, params.agentId, body),
  }),
];
