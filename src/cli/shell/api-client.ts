import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type ErrorCode } from "../../base/errors.ts";
import type { Connection } from "./context.ts";

const MAX_TRIES = 5;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;
/** Answers after which every try that may be repeated is. */
const RETRIED = new Set([429, 502, 503]);
/** Those among them that mean that nothing was done; a gateway's 502 may come after the server did it. */
const NOT_DONE = new Set([429, 503]);

/** One try: the answer, or why there is none and whether another try may help. */
type Attempt = { body: unknown } | { error: AppError; retry: boolean; waitMs?: number };

/**
 * One request with a JSON answer. A request that met no server, or a server that asks for patience, is tried again with
 * growing delays (Retry-After wins), five times in all. One that is not `repeatable` is tried again only when it certainly
 * was not carried out: nobody listened, or the server said so. The `signal` ends the request under way and all tries.
 *
 * @throws AppError with the server's code and sentence; `service_unreachable` when no server, or another one, answered.
 */
export async function callApi<T>(
  connection: Connection,
  method: string,
  path: string,
  body?: unknown,
  { repeatable = true, signal }: { repeatable?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const init = { method, ...content, ...(signal && { signal }) };
  for (let tries = 1; ; tries++) {
    const attempt = await attemptRequest(connection, path, init, repeatable);
    if ("body" in attempt) return attempt.body as T;
    if (!attempt.retry || tries === MAX_TRIES || signal?.aborted) throw attempt.error;
    const waitMs = attempt.waitMs ?? FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random());
    await sleep(waitMs, undefined, signal && { signal }).catch(() => {
      throw attempt.error;
    });
  }
}

async function attemptRequest(
  connection: Connection,
  path: string,
  init: RequestInit,
  repeatable: boolean,
): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await connection.fetch(path, init);
    // Within the try: a connection can also break in the middle of an answer.
    text = await response.text();
  } catch (cause) {
    const inDoubt = !repeatable && !isRefused(cause);
    const remedy = inDoubt ? "look whether it was done before you try again." : "is the server running?";
    const message = `No answer from ${connection.description}; ${remedy}`;
    return {
      error: new AppError("service_unreachable", message, { cause }),
      retry: !inDoubt && !isInvalidUrl(cause),
    };
  }
  const body = parseJson(text);
  if (response.ok && body !== undefined) return { body };
  const waitMs = retryAfterMs(response.headers.get("retry-after"));
  return {
    error: toError(connection, response.status, body),
    retry: (repeatable ? RETRIED : NOT_DONE).has(response.status),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** The JSON of an answer to a request of one try. @throws AppError as `callApi` */
export async function readAnswer<T>(connection: Connection, response: Response): Promise<T> {
  const body = parseJson(await response.text().catch(() => ""));
  if (response.ok && body !== undefined) return body as T;
  throw toError(connection, response.status, body);
}

/** Retry-After in milliseconds, from seconds or an HTTP date (RFC 9110 §10.2.3), at most a minute. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(MAX_DELAY_MS, Math.max(0, waitMs));
}

interface ErrorBody {
  code?: unknown;
  message?: unknown;
  requestId?: unknown;
  details?: Record<string, unknown>;
}

function toError(connection: Connection, status: number, body: unknown): AppError {
  const error = (body as { error?: ErrorBody } | undefined)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string") {
    const message = `${connection.description} answered (status ${status}) but not as Recollect does; check the URL.`;
    return new AppError("service_unreachable", message);
  }
  const { details = {}, requestId } = error;
  return new AppError(error.code as ErrorCode, error.message, { details: { ...details, status, requestId } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether nobody took the connection, so that the request cannot have arrived. */
function isRefused(cause: unknown): boolean {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: unknown };
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
}

function isInvalidUrl(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "ERR_INVALID_URL";
}

/** The path of an agent's resource. */
export function agentPath(agent: string, rest: string): string {
  return `/v1/agents/${encodeURIComponent(agent)}/${rest}`;
}
