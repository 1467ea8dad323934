import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * What the network does: `pass` hands bytes on, `swallow` accepts and loses them in both directions, `deaf` loses what the server says, and
 * `reset` lets so many bytes of an answer through and then ends the connection as a reset.
 */
export type NetworkState = "pass" | "swallow" | "deaf" | { resetAfterBytes: number };

/** A proxy that stands between a process and its database, and has the faults of a network. */
export interface NetworkProxy {
  /** The address of a server as it is reached through the proxy. */
  through(url: string): string;
  set(state: NetworkState): void;
  /** How late each byte is, in both directions. */
  delay(ms: number): void;
  /** Resets connections to the server, of which the client hears nothing: half-open connections. */
  loseServerSide(): void;
  /** Bytes of clients that were swallowed since the state was set. */
  swallowed(): number;
  /** Connections that are open. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts one in front of the server of a connection string. */
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
    // The server hears nothing of an end when the network swallows it.
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
