import { unlessReadOnly } from "../../base/errors.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/schema/generations.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { sumUsageOf } from "../../db/control/usage.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { timeLimit } from "../../service/core/time-limit.ts";
import type { Deps } from "../../service/deps.ts";
import { sessionPath } from "../../settings/memory-path.ts";
import { isMapDue, MAP_JOB } from "./map-job.ts";
import { findMap, MAX_POINTS, type MapPoint, readPoints } from "./sql/map-points.ts";

/** A map that lacks passages without an embedding stays due, and is made anew at most this often. */
const LEAST_AGE_MS = 5000;
const READ_TIMEOUT_MS = 5000;
const TITLE_CHARS = 80;

interface Point {
  x: number;
  y: number;
  kind: "file" | "session" | "fact";
  path: string;
  startLine?: number;
  title: string;
  at: string | null;
  subject?: string;
  user?: string;
  importance?: number;
}

interface MemoryMap {
  /** `none`: nothing is embedded. `due`: a job is making the first map, or a newer map than the map in this answer. */
  state: "none" | "due" | "ready";
  madeAt: string | null;
  /** The number of chunks in the index now. */
  chunks: number;
  points: Point[];
}

/**
 * Returns the map of an agent's memory, and requests a new one if the index has changed by a tenth
 * since it was made.
 *
 * @throws AppError as `findKnownAgent`
 */
export async function readMap(deps: Deps, caller: Caller, agentId: string, limit: number): Promise<MemoryMap> {
  const none: MemoryMap = { state: "none", madeAt: null, chunks: 0, points: [] };
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return none;
  const setup = [timeLimit(READ_TIMEOUT_MS)];
  const found = await withAgentReads(
    deps.db,
    agent,
    async (tx) => {
      const generation = await activeGeneration(tx, agent.schema);
      if (!generation || generation.dimensions === null) return undefined;
      const index = { schema: agent.schema, generationId: generation.id };
      const map = await findMap(tx, index);
      const every = Math.ceil(MAX_POINTS / limit);
      return { map, points: map ? await readPoints(tx, index, every) : [] };
    },
    setup,
  );
  // The counters of the usage are exact, and counting a million chunks takes a quarter of a second.
  const { chunks } = await sumUsageOf(deps.db, agent.tenantId, agentId);
  if (!found || chunks === 0) return none;
  const { map, points } = found;
  const isDue = isMapDue(map, chunks);
  if (isDue && deps.clock().getTime() - (map?.madeAt.getTime() ?? 0) > LEAST_AGE_MS)
    await unlessReadOnly(deps.queue.send(deps.db, MAP_JOB, { tenantId: agent.tenantId, agentId }, "unless one waits"));
  return {
    state: isDue ? "due" : "ready",
    madeAt: map?.madeAt.toISOString() ?? null,
    chunks,
    points: points.slice(0, limit).map(present),
  };
}

function present({ x, y, source, heading, text, startLine, path, session, factId, ...row }: MapPoint): Point {
  const title = titleOf(source === SOURCE_NUMBER.facts ? text : heading || text);
  const place = factId
    ? { kind: "fact" as const, path: `facts/${factId}` }
    : session !== null
      ? { kind: "session" as const, path: sessionPath(session), startLine }
      : { kind: "file" as const, path: path ?? "", startLine };
  return {
    x: Math.round(x * 1e4) / 1e4,
    y: Math.round(y * 1e4) / 1e4,
    ...place,
    title,
    at: row.at?.toISOString() ?? null,
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.user ? { user: row.user } : {}),
    ...(row.importance === null ? {} : { importance: row.importance }),
  };
}

/** Returns the first line of a text, without the marks of a heading, cut to the length of a title. */
function titleOf(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const plain = line.replace(/^[#>*\-\s]+/, "").trim() || line.trim();
  return plain.length <= TITLE_CHARS ? plain : `${plain.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}
