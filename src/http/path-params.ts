import { z } from "@hono/zod-openapi";
import { factId } from "../service/facts/fact-schemas.ts";
import { versionNumber } from "./history-schemas.ts";

const setName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must be the name of a set");
const runNumber = z.string().regex(/^[1-9]\d{0,17}$/, "must be the id of a run");

/** The parameters that a route's path may have. */
const PATH_PARAMS = {
  agentId: inPath("agentId", z.string(), "main", "1 to 63 lower-case letters, digits, `-` or `_`"),
  otherId: inPath("otherId", z.string(), "handbook"),
  path: inPath("path", z.string(), "memory/2026-05-18.md", "A relative path, with its slashes"),
  session: inPath("session", z.string(), "slack:C042", "The session's key, percent-encoded"),
  // `factId` is used unchanged. It is plain zod, made before this edge's zod adds `openapi` to
  // schemas.
  factId,
  jobId: inPath("jobId", z.uuid()),
  keyId: inPath("keyId", z.uuid()),
  snapshot: inPath("snapshot", z.string().min(1).max(63), "before-cleanup"),
  version: inPath("version", versionNumber, "1842"),
  receiptId: inPath("receiptId", z.uuid()),
  evalSet: inPath("evalSet", setName, "billing", "1 to 63 lower-case letters, digits, dots, dashes or underscores"),
  runId: inPath("runId", runNumber, "7"),
  otherRunId: inPath("otherRunId", runNumber, "6"),
};

type Name = keyof typeof PATH_PARAMS;
type NameIn<Path extends string> = Path extends `${string}{${infer Found}}${infer Rest}`
  ? Extract<Found, Name> | NameIn<Rest>
  : never;

/** The values of a path's parameters. */
export type PathParams<Path extends string> = Record<NameIn<Path>, string>;

/** Returns the schema of a path's parameters; undefined when it has none. */
export function paramsOf(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as Name);
  if (names.length === 0) return undefined;
  return z.object(Object.fromEntries(names.map((name) => [name, PATH_PARAMS[name]])));
}

function inPath<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  example?: string,
  description?: string,
): Schema {
  return schema.openapi({
    param: { in: "path", name },
    ...(example === undefined ? {} : { example }),
    ...(description === undefined ? {} : { description }),
  });
}
