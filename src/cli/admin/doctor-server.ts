import { type Finding, failed, ok, some, warning } from "../../service/doctor/finding.ts";
import type { Connection } from "../shell/context.ts";

const TIMEOUT_MS = 10_000;
/** Dates of HTTP have no parts of a second, and an answer takes its time. */
const CLOCK_TOLERANCE_MS = 10_000;
/** A job that is due and not taken for so long waits for a worker that is not there. */
const PATIENCE_MS = 120_000;

/** One answer of a server. */
interface Answer {
  status: number;
  /** undefined for what is not JSON. */
  body: Record<string, unknown> | undefined;
  date: string | null;
  tookMs: number;
}

/** What can be seen of a server from here: with what the key may read, and no more. */
export async function examineServer(connection: Connection, agent: string, ownVersion: string): Promise<Finding[]> {
  const where = connection.description;
  const ready = await ask(connection, "/health/ready");
  if (typeof ready === "string")
    return [
      failed(
        "server",
        `No answer from ${where}: ${ready}.`,
        "Is it running (recollect serve)? Check the URL, the network and what stands in between.",
      ),
    ];
  if (typeof ready.body?.version !== "string")
    return [
      failed(
        "server",
        `${where} answers (status ${ready.status}), but not as Recollect does.`,
        "Check the URL: its host, its port, and that it has no path of something else.",
      ),
    ];
  const findings = [healthOf(ready, where, ownVersion), clockOf(ready)];
  return ready.status === 200 ? [...findings, ...(await ofKey(connection, agent))] : findings;
}

function healthOf({ status, body, tookMs }: Answer, where: string, ownVersion: string): Finding {
  const version = String(body?.version);
  if (status !== 200)
    return failed(
      "server",
      `${where} runs (${version}) and cannot serve: ${String(body?.status)}.`,
      "Run recollect doctor on its machine, with its environment; its log says more.",
    );
  if (version !== ownVersion)
    return warning(
      "server",
      `${where} is ready; it is version ${version}, this command ${ownVersion}.`,
      `Install recollect ${version} here, or upgrade the server.`,
    );
  return ok("server", `${where} is ready, version ${version}, answered in ${tookMs} ms.`);
}

function clockOf({ date }: Answer): Finding {
  const awayMs = date === null ? Number.NaN : Date.parse(date) - Date.now();
  // The app in this process has no clock of its own, and sends no date.
  if (Number.isNaN(awayMs)) return ok("clock", "The server sends no date to compare with.");
  if (Math.abs(awayMs) <= CLOCK_TOLERANCE_MS) return ok("clock", "The server's clock agrees with this one.");
  return warning(
    "clock",
    `The server's clock is ${Math.round(Math.abs(awayMs) / 1000)} s ${awayMs > 0 ? "ahead of" : "behind"} this one.`,
    "Set both by NTP: keys expire and facts hold by the server's clock.",
  );
}

async function ofKey(connection: Connection, agent: string): Promise<Finding[]> {
  const status = await ask(connection, `/v1/agents/${encodeURIComponent(agent)}/status`);
  if (typeof status === "string")
    return [failed("server", `It stopped answering: ${status}.`, "Look at the server's log.")];
  if (status.status === 401)
    return [
      failed(
        "key",
        `The server does not accept the key: ${detailOf(status)}`,
        "Put a valid one into the profile (recollect profile add … --key-stdin) or RECOLLECT_API_KEY; whoever runs the server makes one with recollect keys create.",
      ),
    ];
  if (status.status === 429)
    return [warning("key", `The key is at its limit: ${detailOf(status)}`, "Wait a minute, or have its limit raised.")];
  if (status.status >= 500)
    return [failed("server", `Asked about ${agent}: ${detailOf(status)}`, "Look at the server's log.")];
  const accepted =
    status.status === 200
      ? ok("key", `The key is accepted and may read the agent ${agent}.`)
      : warning(
          "key",
          `The key is accepted, but: ${detailOf(status)}`,
          "Name an agent of this key with --agent, or use a key with the scope agent:read.",
        );
  const memory = status.status === 200 ? memoryOf(status.body ?? {}, agent) : [];
  return [accepted, ...memory, ...(await fleetOf(connection)), ...(await jobsOf(connection))];
}

function memoryOf(body: Record<string, unknown>, agent: string): Finding[] {
  const { provider, model, vector, pendingEmbeddings, rejectedChunks } = body as {
    provider?: string;
    model?: string;
    vector?: { ready?: boolean; index?: string; unread?: string[] };
    pendingEmbeddings?: number;
    rejectedChunks?: number;
  };
  if (provider === "none" || vector?.index === "none")
    return [ok("provider", `The agent ${agent} has no embedding provider: it is searched by keyword only.`)];
  if (vector?.ready === false)
    return [
      failed(
        "provider",
        `The server cannot embed for ${agent} with ${provider} (${model}); search is by keyword.`,
        "Run recollect doctor on the server's machine, with its environment: its provider, key or address is wrong.",
      ),
    ];
  const refused = rejectedChunks ?? 0;
  if (refused > 0)
    return [
      warning(
        "provider",
        `${provider} refused ${some(refused, "chunk")} of ${agent}; they are found by keyword only.`,
        "The server's log names the reason; a reindex tries again.",
      ),
    ];
  const unread = vector?.unread ?? [];
  if (unread.length > 0)
    return [
      warning(
        "provider",
        `${provider} · ${model} does not read ${unread.join(", ")}: what ${agent} has in that script is found by keyword only.`,
        "Choose a multilingual model, such as those of openai, gemini or a GGUF file; the index is then built anew.",
      ),
    ];
  return [ok("provider", `${provider} · ${model}, ${some(pendingEmbeddings ?? 0, "chunk")} still to embed.`)];
}

async function fleetOf(connection: Connection): Promise<Finding[]> {
  const fleet = await ask(connection, "/v1/fleet");
  // The operator's to see.
  if (typeof fleet === "string" || fleet.status !== 200) return [];
  const { behind = 0, failed: spoiled = [] } = (fleet.body ?? {}) as { behind?: number; failed?: unknown[] };
  if (spoiled.length > 0)
    return [
      failed(
        "migrations",
        `${some(spoiled.length, "agent")} could not be migrated.`,
        "See recollect fleet status, then recollect fleet migrate.",
      ),
    ];
  if (behind > 0)
    return [
      warning(
        "migrations",
        `${some(behind, "agent")} still to be migrated.`,
        "A worker does it; see recollect fleet status.",
      ),
    ];
  return [ok("migrations", "All agents have the newest schema.")];
}

async function jobsOf(connection: Connection): Promise<Finding[]> {
  const [waiting, spoiled] = await Promise.all(
    ["waiting", "failed"].map((state) => ask(connection, `/v1/jobs?limit=1000&state=${state}`)),
  );
  const rows = (answer: typeof waiting) =>
    typeof answer === "object" && answer.status === 200 ? ((answer.body?.jobs ?? []) as Job[]) : undefined;
  const lost = rows(spoiled);
  // The schedule waits for its minute; it is no work that nobody takes.
  const queued = rows(waiting)?.filter((job) => job.kind !== "schedule");
  if (!queued || !lost) return [];
  const late = queued.filter((job) => Date.now() - Date.parse(job.createdAt) > PATIENCE_MS);
  if (late.length > 0)
    return [
      warning(
        "queue",
        `${some(late.length, "job")} not taken for more than ${PATIENCE_MS / 60_000} minutes, the oldest since ${late.at(-1)?.createdAt}.`,
        "Is a worker running (recollect worker)? A large sync can also take its time; see recollect jobs list.",
      ),
    ];
  if (lost.length > 0)
    return [
      warning(
        "queue",
        `${some(lost.length, "job")} failed for good.`,
        "See recollect jobs list --state failed, then recollect jobs retry <id>.",
      ),
    ];
  return [ok("queue", queued.length === 0 ? "No job waits." : `${some(queued.length, "job")} waiting, none for long.`)];
}

interface Job {
  kind: string;
  createdAt: string;
}

/** @returns why there was no answer, when there was none */
async function ask(connection: Connection, path: string): Promise<Answer | string> {
  const started = performance.now();
  try {
    const response = await connection.fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    const tookMs = Math.round(performance.now() - started);
    return { status: response.status, body: parse(text), date: response.headers.get("date"), tookMs };
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown; message?: unknown } };
  if (name === "TimeoutError") return `nothing within ${TIMEOUT_MS / 1000} s`;
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
