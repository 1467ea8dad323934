import type { Context } from "hono";
import { joinBytes } from "../../base/bytes.ts";
import { type AppError, isDatabaseState } from "../../base/errors.ts";
import { readJson } from "../../base/json-text.ts";
import { within } from "../../base/pace.ts";
import { memorySearchTool } from "../../service/tools/tool-table.ts";
import { unavailableAnswer, unavailableMemory } from "../../service/tools/unavailable-tool.ts";
import type { AppEnv, HttpDeps } from "../context.ts";
import { explainTo, knownError } from "../render-error.ts";

const TOOL = /^\/v1\/agents\/[^/]+\/(?:tools\/([^/]+)|search)$/;
const MCP = /^\/v1\/agents\/([^/]+)\/mcp$/;
/**
 * The most bytes of a message. The sender is not identified, so little is read. A search takes
 * about a hundredth of this.
 */
const MAX_MESSAGE_BYTES = 16_384;
/** The longest time that a message may take to arrive. */
const LIMIT_MS = 5000;

/**
 * Answers for a model's tool while the database cannot serve it. Without the database a key cannot
 * be checked, so the answer contains no tenant's data. A model is promised a result that it can act
 * on; programs on other routes get the problem and try again.
 *
 * @returns undefined for other routes, tools and errors
 */
export async function answerUnavailable(
  deps: HttpDeps,
  error: unknown,
  c: Context<AppEnv>,
): Promise<Response | undefined> {
  if (c.req.method !== "POST" || !isDatabaseState(error)) return undefined;
  const called = TOOL.exec(c.req.path);
  const answer = called ? unavailableAnswer(called[1] ?? memorySearchTool.name, error.code) : undefined;
  if (answer) {
    knownError(error, c.get("requestId"), deps.logger);
    return c.json(answer);
  }
  const [, agentId] = MCP.exec(c.req.path) ?? [];
  return agentId === undefined ? undefined : answerMessage(deps, error, c, agentId);
}

async function answerMessage(
  { answerMcp, logger }: HttpDeps,
  error: AppError,
  c: Context<AppEnv>,
  agentId: string,
): Promise<Response | undefined> {
  const memory = unavailableMemory(agentId, error);
  const body = await smallBody(c);
  if (!memory || body === undefined) return undefined;
  return answerMcp({ request: c.req.raw, body, memory, explain: explainTo(c, logger) });
}

/**
 * Returns the body as a JSON object; undefined if it is not an object, is large, or does not
 * arrive.
 */
async function smallBody(c: Context<AppEnv>): Promise<unknown> {
  // A body that was read before the database failed is kept in the context, and its stream cannot
  // be read again.
  const body = c.get("body") ?? (await within(readSmall(c.req.raw.body), LIMIT_MS, tooSlow).catch(() => undefined));
  // A list of messages would get as many answers, for an unknown sender.
  return typeof body === "object" && body !== null && !Array.isArray(body) ? body : undefined;
}

function tooSlow(): Error {
  return new Error("The message did not come.");
}

/** Reads a stream of JSON to its end; returns undefined if it is long or no JSON. */
async function readSmall(stream: ReadableStream<Uint8Array> | null): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream ?? []) {
    bytes += part.length;
    if (bytes > MAX_MESSAGE_BYTES) return undefined;
    parts.push(part);
  }
  const read = readJson(joinBytes(parts));
  return "value" in read ? read.value : undefined;
}
