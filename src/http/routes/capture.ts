import { z } from "@hono/zod-openapi";
import { captureTurn } from "../../service/facts/capture-turn.ts";
import { ingestSent, readIngest, startIngest } from "../../service/facts/ingest-files.ts";
import { MAX_INGEST_CHARS } from "../../service/facts/ingest-text.ts";
import { captured, captureInput } from "../fact-schemas.ts";
import { foundFact, ingestStatus } from "../ingest-schemas.ts";
import { routesOf } from "../route.ts";
import { json } from "../schemas.ts";

const ingestFiles = z.strictObject({
  paths: z
    .array(z.string().min(1).max(256))
    .min(1)
    .max(20)
    .optional()
    .openapi({ description: "Globs; absent: facts.ingest.paths of the settings" }),
  dryRun: z.boolean().optional(),
});

const ingestText = z.strictObject({
  path: z.string().min(1).max(1024),
  content: z.string().max(MAX_INGEST_CHARS),
  from: z.int().min(0).max(MAX_INGEST_CHARS).optional().openapi({ description: "`next` of the answer before" }),
  dryRun: z.boolean().optional(),
});

const ingestedText = z.object({
  pieces: z.int(),
  next: z.int().optional(),
  known: z.int(),
  asked: z.int(),
  refused: z.int(),
  stored: z.int(),
  duplicates: z.int(),
  dropped: z.int(),
  facts: z.array(foundFact),
});

const route = routesOf("Facts");

/** What makes facts: of a turn of a conversation by rules, of files and texts by a chat model. */
export const captureRoutes = [
  route("POST /v1/agents/{agentId}/capture", {
    operationId: "capture",
    summary: "Store what the user of a turn states about himself, his wishes and decisions",
    scope: "agent:write",
    body: json(captureInput, "The turn's messages, in order"),
    answer: json(captured, "What was found, and what became of it"),
    run: (deps, caller, { params, body }) => captureTurn(deps, caller, params.agentId, body),
  }),
  route("POST /v1/agents/{agentId}/ingest", {
    operationId: "ingestStart",
    summary: "Turn an agent's files that match into facts, by a chat model",
    scope: "agent:write",
    body: json(ingestFiles, "Which files"),
    status: 202,
    answer: json(ingestStatus, "It is under way in the background; GET says how far"),
    run: (deps, caller, { params, body }) => startIngest(deps, caller, params.agentId, body),
  }),
  route("GET /v1/agents/{agentId}/ingest", {
    operationId: "ingestGet",
    summary: "How far the last ingest of files is, and what it has come to",
    scope: "agent:read",
    answer: json(ingestStatus, "The run under way, or the last"),
    run: (deps, caller, { params }) => readIngest(deps, caller, params.agentId),
  }),
  route("POST /v1/agents/{agentId}/ingest/text", {
    operationId: "ingestText",
    summary: "Turn a text into facts, by a chat model, without keeping it",
    scope: "agent:write",
    body: json(ingestText, "A file of a workspace"),
    answer: json(ingestedText, "What it came to; `next` where there is more to do"),
    run: (deps, caller, { params, body }) => ingestSent(deps, caller, params.agentId, body),
  }),
];
