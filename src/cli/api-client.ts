import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type ErrorCode } from "../base/errors.ts";
import type { Connection } from "./context.ts";

const MAX_TRIES = 5;
const FIRST_DELAY_MS = 200;
const RETRIED = new Set([429, 502, 503]);

/**
 * One request with a JSON answer. A request that met no server, or a server that asks for patience, is tried again with
 * growing delays (Retry-After wins); all requests of the CLI may be repeated without harm.
 *
 * @throws AppError with the server's code and sentence.
 */
export async function callApi<T>(connection: Connection, method: string, path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? { method }
      : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  for (let attempt = 1; ; attempt++) {
    const response = await connection.fetch(path, init).catch((cause: unknown) => unreachable(connection, cause));
    const last = attempt === MAX_TRIES;
    if (response instanceof AppError) {
      if (last) throw response;
    } else if (response.ok) {
      return (await response.json()) as T;
    } else if (last || !RETRIED.has(response.status)) {
      throw await toError(response);
    }
    await sleep(delayMs(response, attempt));
  }
}

function unreachable(connection: Connection, cause: unknown): AppError {
  return new AppError("service_unreachable", `No answer from ${connection.description}; is the server running?`, {
    cause,
  });
}

function delayMs(response: Response | AppError, attempt: number): number {
  const seconds = response instanceof AppError ? Number.NaN : Number(response.headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(seconds)) return Math.min(60, Math.max(0, seconds)) * 1000;
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
}

async function toError(response: Response): Promise<AppError> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string } }
    | undefined;
  const { code = "internal", message = `The server answered with status ${response.status}.` } = body?.error ?? {};
  return new AppError(code as ErrorCode, message);
}

/** The path of an agent's resource. */
export function agentPath(agent: string, rest: string): string {
  return `/v1/agents/${encodeURIComponent(agent)}/${rest}`;
}
