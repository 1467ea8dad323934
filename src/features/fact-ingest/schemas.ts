import { z } from "@hono/zod-openapi";

const foundFact = z
  .object({ path: z.string(), startLine: z.int(), text: z.string(), importance: z.number() })
  .openapi("IngestedFact", { description: "A fact that a model found in a file" });

export const ingestStatus = z
  .object({
    state: z.enum(["none", "running", "done", "failed"]),
    paths: z.array(z.string()).optional(),
    dryRun: z.boolean().optional(),
    error: z.object({ code: z.string(), message: z.string() }).nullable().optional(),
    filesTotal: z.int().nullable().optional(),
    filesDone: z.int().optional(),
    filesSkipped: z.int().optional(),
    piecesDone: z.int().optional(),
    piecesKnown: z
      .int()
      .optional()
      .openapi({ description: "Pieces that an earlier run has done; the model is not asked again" }),
    piecesRefused: z.int().optional().openapi({ description: "Pieces that the model refused" }),
    stored: z.int().optional(),
    duplicates: z.int().optional(),
    dropped: z.int().optional().openapi({ description: "Lines of the model's answers that are no facts" }),
    found: z.array(foundFact).optional().openapi({ description: "The facts of a dry run, at most 500" }),
    startedAt: z.string().optional(),
    endedAt: z.string().nullable().optional(),
  })
  .openapi("Ingest", { description: "The progress of the last ingest" });

export const ingestedText = z
  .object({
    pieces: z.int(),
    next: z.int().optional().openapi({
      description: "Where the next call continues, if the text is too long for one request",
    }),
    known: z.int(),
    asked: z.int(),
    refused: z.int(),
    stored: z.int(),
    duplicates: z.int(),
    dropped: z.int(),
    facts: z.array(foundFact),
  })
  .openapi("IngestedText");
