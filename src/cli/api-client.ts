import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type ErrorCode } from "../base/errors.ts";
import type { Connection } from "./context.ts";

const MAX_TRIES = 5;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;
const RETRIED = new Set([429, 502, 503]);

/** One try: the answer, or why there is none and whether another try may help. */
type Attempt = { body: unknown } | { error: AppError; retry: boolean; waitMs?: number };

/**
 * One request with a JSON answer. A request that met no server, or a server that asks for patience, is tried again with
 * growing delays (Retry-After wins), five times in all; every request of the CLI may be repeated without harm.
 *
 * @throws AppError with the server's code and sentence; `service_unreachable` when no server, or another one, answered.
 */
export async function callApi<T>(connection: Connection, method: string, path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? { method }
      : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  for (let tries = 1; ; tries++) {
    const attempt = await attemptRequest(connection, path, init);
    if ("body" in attempt) return attempt.body as T;
    if (!attempt.retry || tries === MAX_TRIES) throw attempt.error;
    await sleep(attempt.waitMs ?? FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
  }
}

async function attemptRequest(connection: Connection, path: string, init: RequestInit): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await connection.fetch(path, init);
    // Within the try: a connection can also break in the middle of an answer.
    text = await response.text();
  } catch (cause) {
    const message = `No answer from ${connection.description}; is the server running?`;
    return { error: new AppError("service_unreachable", message, { cause }), retry: !isInvalidUrl(cause) };
  }
  const body = parseJson(text);
  if (response.ok && body !== undefined) return { body };
  const waitMs = retryAfterMs(response.headers.get("retry-after"));
  return {
    error: toError(connection, response.status, body),
    retry: RETRIED.has(response.status),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** Retry-After in milliseconds, from seconds or an HTTP date (RFC 9110 §10.2.3), at most a minute. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(MAX_DELAY_MS, Math.max(0, waitMs));
}

function toError(connection: Connection, status: number, body: unknown): AppError {
  const error = (body as { error?: { code?: unknown; message?: unknown; requestId?: unknown } } | undefined)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string") {
    const message = `${connection.description} answered (status ${status}) but not as Recollect does; check the URL.`;
    return new AppError("service_unreachable", message);
  }
  return new AppError(error.code as ErrorCode, error.message, { details: { status, requestId: error.requestId } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isInvalidUrl(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "ERR_INVALID_URL";
}

/** The path of an agent's resource. */
export function agentPath(agent: string, rest: string): string {
  return `/v1/agents/${encodeURIComponent(agent)}/${rest}`;
}
