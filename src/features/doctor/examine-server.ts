import type { Connection } from "../../cli/shell/context.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const TIMEOUT_MS = 10_000;
/** The tolerated clock difference. HTTP dates have whole seconds, and an answer takes some time. */
const CLOCK_TOLERANCE_MS = 10_000;
/**
 * The time limit of the server's own examination. The server itself waits up to 30 s for its
 * provider.
 */
const EXAMINATION_MS = 45_000;

interface Answer {
  status: number;
  /** The parsed body; undefined if it is not JSON. */
  body: Record<string, unknown> | undefined;
  date: string | null;
  tookMs: number;
}

/** Returns the findings about a server: those seen from this machine, and the server's own. */
export async function examineServer(
  connection: Connection,
  agent: string | undefined,
  ownVersion: string,
): Promise<Finding[]> {
  const where = connection.description;
  const ready = await ask(connection, "/health/ready");
  if (typeof ready === "string")
    return [
      failed(
        "server",
        `No answer from ${where}: ${ready}.`,
        "Is it running (recollect serve)? Check the URL, the network, and any proxy or firewall in between.",
      ),
    ];
  if (typeof ready.body?.version !== "string")
    return [
      failed(
        "server",
        `${where} answers (status ${ready.status}), but the answer does not come from Recollect.`,
        "Check the host, the port and the path of the URL.",
      ),
    ];
  const findings = [healthOf(ready, where, ownVersion), clockOf(ready)];
  return ready.status === 200 ? [...findings, ...(await ownFindings(connection, agent))] : findings;
}

function healthOf({ status, body, tookMs }: Answer, where: string, ownVersion: string): Finding {
  const version = String(body?.version);
  if (status !== 200)
    return failed(
      "server",
      `${where} runs (${version}) and cannot serve: ${String(body?.status)}.`,
      body?.status === "database busy"
        ? "The database has no connection or memory left for the server: raise max_connections, or lower RECOLLECT_DB_POOL of the processes."
        : "Run recollect doctor on the server's machine, with its DATABASE_URL and without RECOLLECT_URL; the server's log says more.",
    );
  if (version !== ownVersion)
    return warning(
      "server",
      `${where} is ready; it is version ${version}, this command ${ownVersion}.`,
      `Install recollect ${version} here, or upgrade the server.`,
    );
  return ok("server", `${where} is ready, version ${version}, answered in ${(tookMs / 1000).toFixed(2)} s.`);
}

function clockOf({ date }: Answer): Finding {
  const awayMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  // The app in this process uses this machine's clock, and sends no date.
  if (Number.isNaN(awayMs)) return ok("server clock", "The server sends no date to compare with.");
  if (Math.abs(awayMs) <= CLOCK_TOLERANCE_MS) return ok("server clock", "The server's clock agrees with this one.");
  return warning(
    "server clock",
    `The server's clock is ${Math.round(Math.abs(awayMs) / 1000)} s ${awayMs > 0 ? "ahead of" : "behind"} this one.`,
    "Set both clocks by NTP: the server's clock decides when keys expire and which facts hold.",
  );
}

/** Returns the findings of the server itself, as far as the key may read them. */
async function ownFindings(connection: Connection, agent: string | undefined): Promise<Finding[]> {
  const query = agent === undefined ? "" : `?agent=${encodeURIComponent(agent)}`;
  const found = await ask(connection, `/v1/doctor${query}`, EXAMINATION_MS);
  if (typeof found === "string")
    return [failed("server", `The server stopped answering: ${found}.`, "Look at the server's log.")];
  if (found.status === 200) return (found.body?.findings ?? []) as Finding[];
  if (found.status === 401)
    return [
      failed(
        "key",
        `The server does not accept the key: ${detailOf(found)}`,
        "Put a valid key into the profile (recollect profile add … --key-stdin) or RECOLLECT_API_KEY; the server's operator creates one with recollect keys create.",
      ),
    ];
  if (found.status === 429)
    return [
      warning(
        "key",
        `The key has reached its rate limit: ${detailOf(found)}`,
        "Wait a minute, or have the limit raised.",
      ),
    ];
  if (found.status === 404)
    return [
      warning(
        "server",
        "The server cannot examine itself: it is older than this command, or its doctor is switched off.",
        "Upgrade the server, or take -doctor out of its RECOLLECT_FEATURES.",
      ),
    ];
  return [failed("server", `The server could not examine itself: ${detailOf(found)}`, "Look at the server's log.")];
}

/** Sends a request. @returns the answer, or the reason why there was none */
async function ask(connection: Connection, path: string, timeoutMs = TIMEOUT_MS): Promise<Answer | string> {
  const started = performance.now();
  try {
    const response = await connection.fetch(path, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    const tookMs = Math.round(performance.now() - started);
    return { status: response.status, body: parse(text), date: response.headers.get("date"), tookMs };
  } catch (error) {
    return reasonOf(error, timeoutMs);
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown; message?: unknown } };
  if (name === "TimeoutError") return `nothing arrived within ${timeoutMs / 1000} s`;
  return String(cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : error));
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function detailOf({ status, body }: Answer): string {
  const { detail, error } = (body ?? {}) as { detail?: unknown; error?: { message?: unknown } };
  return String(detail ?? error?.message ?? `status ${status}`);
}
