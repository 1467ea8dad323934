import pg from "pg";
import { NoAnswer } from "./answer-watch.ts";
import type { PgLimits } from "./pg-limits.ts";

/**
 * Runs LISTEN on a connection of its own, and opens it again a second after it was lost. The
 * connection is tested with a query now and then: when the network has lost it, neither the network
 * nor the server reports that.
 */
export async function listenOn(
  connectionString: string,
  limits: PgLimits,
  channel: string,
  onNotification: (payload: string) => void,
  onReconnect: () => void,
  onError: (error: Error) => void,
) {
  let closed = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const open = async (): Promise<void> => {
    const timeouts = { keepAlive: true, connectionTimeoutMillis: limits.connectMs };
    const next = new pg.Client({ connectionString, application_name: "recollect-listen", ...timeouts });
    client = next;
    const ask = async (sql: string) => {
      const timer = setTimeout(() => next.connection.stream.destroy(new NoAnswer()), limits.tryMs);
      await next.query(sql).finally(() => clearTimeout(timer));
    };
    let trying: NodeJS.Timeout | undefined;
    const tryLater = () => {
      trying = setTimeout(() => void ask("SELECT 1").then(tryLater, () => undefined), limits.restMs);
      trying.unref();
    };
    next.on("notification", (message) => onNotification(message.payload ?? ""));
    next.on("error", onError);
    next.on("end", () => {
      clearTimeout(trying);
      if (!closed) retry = setTimeout(() => void open().catch(onError), 1_000);
    });
    await next.connect();
    await ask(`LISTEN ${pg.escapeIdentifier(channel)}`);
    tryLater();
    onReconnect();
  };
  try {
    await open();
  } catch (error) {
    // The caller gets no handle with which it could close the connection.
    closed = true;
    clearTimeout(retry);
    client?.connection.stream.destroy();
    throw error;
  }
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      if (client) await endSoon(client);
    },
  };
}

/**
 * How long the connection may take to end. A reachable server needs far less, and an unreachable
 * one must not keep the process from ending.
 */
const END_MS = 1_000;

async function endSoon(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), END_MS);
  await client.end();
  clearTimeout(timer);
}
