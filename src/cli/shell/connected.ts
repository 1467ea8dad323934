import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { createClient, type RecollectClient, RecollectError } from "../../client/client.ts";
import type { AdminOptions, CliContext, Connection, ConnectOptions, RemoteOptions } from "./context.ts";
import { printableLine } from "./printable.ts";
import { codeOf, outageReason } from "./problem.ts";

/** The API, as a command speaks to it. */
export interface Service {
  client: RecollectClient;
  /** What it is, for the user. */
  description: string;
}

/** A try may take as long as a chat model that reads, or an agent that is erased in this very process. */
const TIMEOUT_MS = 600_000;
/** Agents among which a mistyped one is looked for. */
const MOST_AGENTS = 1000;
/** How long a command that waits for its server rests between two rounds of tries. */
const AGAIN_MS = 1000;
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The client of a connection. @param tenant the id of the tenant to act in */
export function clientOf(connection: Pick<Connection, "fetch" | "description">, tenant?: string): RecollectClient {
  const { fetch, description } = connection;
  return createClient({ url: "", fetch, name: description, timeoutMs: TIMEOUT_MS, tenant });
}

/** Connects, does something with the API, and closes the connection. @returns what `use` returns */
export function connected<T>(
  context: CliContext,
  options: AdminOptions & Pick<ConnectOptions, "brief">,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const { tenant } = options;
  return withConnection(context, options, async (connection) => {
    const id = tenant === undefined ? undefined : await tenantIdOf(clientOf(connection), tenant);
    return use({ client: clientOf(connection, id), description: connection.description });
  });
}

/**
 * The same with the memory of the agent that is meant.
 *
 * @param options.waits for a command that runs on: a server that is away is waited for, until this is aborted
 */
export function withMemory<T>(
  context: CliContext,
  options: RemoteOptions & Pick<ConnectOptions, "brief"> & { waits?: AbortSignal },
  use: (memory: AgentClient, service: Service) => Promise<T>,
): Promise<T> {
  return withConnection(context, options, async (connection) => {
    const client = clientOf(connection);
    const ask = () => agentOfKey(client, context, options.waits);
    const agent = options.agent ?? (connection.keyed ? await ask() : undefined);
    return use(client.agent(agent), { client, description: connection.description });
  });
}

async function withConnection<T>(
  context: CliContext,
  { url, profile, brief }: ConnectOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await context.connect({ url, profile, brief });
  const asked: AskedAgent = {};
  try {
    return await use({ ...connection, fetch: noting(connection, asked) });
  } catch (error) {
    throw codeOf(error) === "agent_not_found" ? await withNearest(error as RecollectError, connection, asked) : error;
  } finally {
    await connection.close();
  }
}

/** The agent that the last request was about, and the tenant that it named. */
interface AskedAgent {
  id?: string;
  headers?: RequestInit["headers"];
}

function noting(connection: Connection, asked: AskedAgent): Connection["fetch"] {
  return (path, init) => {
    const [, id] = /^\/v1\/agents\/([^/?]+)/.exec(path) ?? [];
    if (id !== undefined) Object.assign(asked, { id: decodeURIComponent(id), headers: init?.headers });
    return connection.fetch(path, init);
  };
}

/** The error with the agent that may have been meant, as far as the key may know the others. */
async function withNearest(
  error: RecollectError,
  connection: Connection,
  { id = "", headers }: AskedAgent,
): Promise<RecollectError> {
  const tenant = new Headers(headers).get("recollect-tenant") ?? undefined;
  const known = await clientOf(connection, tenant)
    .agents.list({ limit: MOST_AGENTS })
    .catch(() => ({ agents: [] }));
  const { code, message, status, requestId, details } = error;
  const near = didYouMean(
    id,
    known.agents.map((agent) => agent.id),
  );
  return new RecollectError(code, message + near, { ...(status === undefined ? {} : { status }), requestId, details });
}

/** The agent of a key that is for one only. */
async function agentOfKey(
  client: RecollectClient,
  { stderr }: CliContext,
  waits: AbortSignal | undefined,
): Promise<string | undefined> {
  for (let said = false; ; said = true) {
    try {
      return (await client.key({ signal: waits })).agentId ?? undefined;
    } catch (error) {
      // The command that runs on reports that it was stopped.
      if (waits?.aborted) return undefined;
      // A server that is older than this command does not tell.
      if (codeOf(error) === "not_found") return undefined;
      const reason = outageReason(error);
      if (reason === undefined || !waits) throw error;
      if (!said) stderr.write(`${printableLine(reason)} Waiting for it.\n`);
      await sleep(AGAIN_MS, undefined, { signal: waits }).catch(() => undefined);
    }
  }
}

/** @param tenant an id or a name */
async function tenantIdOf(client: RecollectClient, tenant: string): Promise<string> {
  if (TENANT_ID.test(tenant)) return tenant;
  const names: string[] = [];
  for await (const { id, name } of client.tenants()) {
    if (name === tenant) return id;
    names.push(name);
  }
  throw new AppError("tenant_not_found", `There is no tenant ${tenant}.${didYouMean(tenant, names)}`);
}
