import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that spreads requests over processes, as nginx does with two `server` lines. */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/** How long a process is left out after it refused a connection or answered 503. */
const REST_MS = 1000;

/**
 * Starts a proxy in front of processes. It takes them in turn, and sends a request to the next one
 * if a process refuses the connection, closes it before it answers, or answers 503:
 * docs/operations/run.md says that such a request may be repeated if every write has an idempotency
 * key. It reads the whole request first, and does not look at probes: it learns only from requests
 * that a process is going away.
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, timeout: 60_000 });
  const restsUntil = new Map<string, number>();
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    void readAll(incoming).then(async (body) => {
      const begin = turn++;
      const inTurn = urls.map((_, place) => urls[(begin + place) % urls.length] ?? "");
      const now = performance.now();
      const awake = inTurn.filter((url) => (restsUntil.get(url) ?? 0) <= now);
      const tried = [...awake, ...inTurn.filter((url) => !awake.includes(url))];
      for (const [index, url] of tried.entries()) {
        const answer = await ask(url, incoming, body, agent).catch(() => undefined);
        const isAway = answer === undefined || answer.statusCode === 503;
        if (isAway) restsUntil.set(url, performance.now() + REST_MS);
        if (isAway && index < tried.length - 1) {
          answer?.resume();
          continue;
        }
        return pass(answer, outgoing);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeAll(server, agent) };
}

function ask(url: string, { method, url: path, headers }: IncomingMessage, body: Buffer, agent: Agent) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const { connection: _, ...passed } = headers;
    const asked = request(new URL(path ?? "/", url), { method, headers: passed, agent }, resolve);
    asked.on("error", reject);
    asked.end(body);
  });
}

function pass(answer: IncomingMessage | undefined, outgoing: ServerResponse): void {
  if (!answer) {
    outgoing.writeHead(502).end();
    return;
  }
  const { connection: _, "keep-alive": __, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  answer.pipe(outgoing);
  answer.once("error", () => outgoing.destroy());
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function closeAll(server: Server, agent: Agent): Promise<void> {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  agent.destroy();
}
