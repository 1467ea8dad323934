import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The behaviour of the network: `pass` forwards bytes, `swallow` accepts and loses them in both
 * directions, `deaf` loses the server's bytes, and `resetAfterBytes` forwards that many bytes of an
 * answer and then resets the connection.
 */
export type NetworkState = "pass" | "swallow" | "deaf" | { resetAfterBytes: number };

/** A proxy between a process and its database, with the faults of a network. */
export interface NetworkProxy {
  /** Returns the address at which a server is reached through the proxy. */
  through(url: string): string;
  set(state: NetworkState): void;
  /** Delays each byte, in both directions. */
  delay(ms: number): void;
  /** Resets the connections to the server without telling the client: half-open connections. */
  loseServerSide(): void;
  /** Returns the number of the clients' bytes that were swallowed since the state was set. */
  swallowed(): number;
  /** Returns the number of open connections. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a proxy in front of the server of a connection string. */
export async function startNetworkProxy(serverUrl: string): Promise<NetworkProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  const servers = new Set<Socket>();
  let state: NetworkState = "pass";
  let [delayMs, swallowed] = [0, 0];
  const later = (act: () => void) => (delayMs === 0 ? act() : void setTimeout(act, delayMs));
  const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({
      host: target.hostname,
      port: Number(target.port || 5432),
      allowHalfOpen: true,
      noDelay: true,
    });
    const pair = { client, server };
    pairs.add(pair);
    servers.add(server);
    server.on("close", () => servers.delete(server));
    const swallows = () => state === "swallow";
    client.on("data", (bytes) => {
      if (swallows()) swallowed += bytes.length;
      else later(() => server.write(bytes));
    });
    server.on("data", (bytes) => {
      if (swallows() || state === "deaf") return;
      if (typeof state !== "object") return later(() => void client.write(bytes));
      const { resetAfterBytes } = state;
      client.write(bytes.subarray(0, resetAfterBytes), () => client.resetAndDestroy());
      server.resetAndDestroy();
    });
    // The server does not learn of the client's end if the network swallows it.
    client.on("end", () => {
      client.end();
      if (!swallows()) later(() => server.end());
    });
    server.on("end", () => !swallows() && state !== "deaf" && later(() => client.end()));
    for (const socket of [client, server]) socket.on("error", () => undefined);
    client.on("close", () => {
      pairs.delete(pair);
      if (!swallows()) later(() => server.destroy());
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    set: (next) => {
      [state, swallowed] = [next, 0];
    },
    delay: (ms) => {
      delayMs = ms;
    },
    loseServerSide: () => {
      for (const server of servers) server.resetAndDestroy();
    },
    swallowed: () => swallowed,
    connections: () => pairs.size,
    close: async () => {
      for (const { client } of pairs) client.destroy();
      for (const server of servers) server.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
