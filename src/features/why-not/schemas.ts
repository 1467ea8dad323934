import { z } from "@hono/zod-openapi";

const place = z
  .object({ rank: z.int().optional(), score: z.number().optional() })
  .openapi("MissedPlace", { description: "The rank of a chunk in one arm" });
export const missed = z
  .object({
    path: z.string(),
    found: z
      .boolean()
      .openapi({ description: "Whether the search's scope may see a file, session or fact at this path" }),
    indexed: z.boolean().openapi({ description: "Whether any of it is indexed" }),
    chunks: z.array(
      z
        .object({
          startLine: z.int(),
          endLine: z.int(),
          stage: z.enum(["shown", "joined", "limit", "duplicate", "floor", "candidates", "excluded"]).openapi({
            description:
              "`shown`; `joined` with a neighbour; left out by the `limit`, as a `duplicate` or by the `floor`; not among the `candidates` of either arm; `excluded` from the search",
          }),
          reason: z.string().openapi({ description: "A sentence with the figures" }),
          keyword: place.optional(),
          vector: place.optional(),
        })
        .openapi("MissedChunk", {
          description: "A chunk of a document, and the stage of a search at which it was left out",
        }),
    ),
    warning: z
      .string()
      .optional()
      .openapi({ description: "The warnings of the search, such as that a part of it took too long" }),
  })
  .openapi("MissedDocument", { description: "The reason why a search does not show a document" });
