import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { gunzipSync, gzipSync } from "node:zlib";

/** The URL and the keys of an attack. All of them are ordinary keys of one tenant. */
export interface Target {
  url: string;
  /** A key with the scope `search` only. */
  searchKey: string;
  /** A key with the scope `agent:write`. */
  writeKey: string;
  /** A key with the scope `tenant`, for archives. */
  tenantKey: string;
  /** Many keys that may read. */
  readKeys: string[];
}

interface Request {
  method: string;
  path: string;
  key: string;
  body?: string | Uint8Array;
  type?: string;
}

type Attack = (target: Target) => Promise<void>;

const MB = 1_000_000;

/**
 * Sends a request, reads its answer and ignores both, because the server may refuse an attack in
 * any way.
 */
async function send(target: Target, { method, path, key, body, type = "application/json" }: Request): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": type }) };
  try {
    const init = { method, headers, signal: AbortSignal.timeout(60_000) };
    const response = await fetch(target.url + path, body === undefined ? init : { ...init, body: Buffer.from(body) });
    await response.arrayBuffer();
  } catch {
    // The server may close the connection on an unwanted body.
  }
}

/** Opens a connection and sends the head of a request and a part of its body. */
async function open(target: Target, { method, path, key, type = "application/json" }: Request, length: number) {
  const { hostname, port } = new URL(target.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await new Promise((done) => socket.once("connect", done));
  const head = [
    `${method} ${path} HTTP/1.1`,
    "host: hostile",
    `authorization: Bearer ${key}`,
    `content-type: ${type}`,
    `content-length: ${length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return socket;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const times = (count: number, one: (i: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i))).then(() => undefined);
const closed = (sockets: Socket[]) => {
  for (const socket of sockets) socket.destroy();
};

const FILES = "/v1/agents/mallory/files";
const SEARCH = "/v1/agents/mallory/tools/memory_search";

/**
 * Returns a table with `columns` columns and as many rows without cells: a parser that fills rows
 * up makes columns × rows cells.
 */
export const tableBomb = (columns: number): string =>
  `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${"|\n".repeat(columns)}`;

/**
 * The attacks. Each one sends requests that one tenant's keys allow, and resolves when it is over.
 */
export const ATTACKS: Record<string, Attack> = {
  "a body of numbers, from a key that may not write": (target) =>
    times(3, () => {
      const body = `{"put":[${"0,".repeat(4 * MB - 10)}0]}`;
      return send(target, { method: "POST", path: FILES, key: target.searchKey, body });
    }),
  "a body of numbers, from a key that may write": (target) =>
    times(3, () => {
      const body = `{"put":[${"0,".repeat(4 * MB - 10)}0]}`;
      return send(target, { method: "POST", path: FILES, key: target.writeKey, body });
    }),
  "a body of 600,000 names": (target) =>
    times(3, () => {
      const body = `{${Array.from({ length: 600_000 }, (_, i) => `"k${i}":0`).join(",")}}`;
      const inFiles = send(target, { method: "POST", path: FILES, key: target.writeKey, body });
      return Promise.all([inFiles, send(target, { method: "POST", path: SEARCH, key: target.searchKey, body })]);
    }),
  "a body of 2.6 million empty messages": (target) =>
    times(3, () => {
      const body = `{"messages":[${"{},".repeat(2_600_000)}{}]}`;
      const path = "/v1/agents/mallory/sessions/slack:C1/messages";
      return send(target, { method: "POST", path, key: target.writeKey, body });
    }),
  "archives that grow when they are unpacked": async (target) => {
    const headers = { authorization: `Bearer ${target.tenantKey}` };
    const exported = await fetch(`${target.url}/v1/agents/hanging/archive`, { headers });
    const [head = ""] = gunzipSync(await exported.arrayBuffer())
      .toString()
      .split("\n");
    await times(8, (i) => {
      const [part = ""] = ["0,", "[", '{"a":', '"",'].slice(i % 4);
      const line = part.repeat((15 * MB) / part.length);
      const body = gzipSync(i < 4 ? `{"recollect":[${line}` : `${head}\n{"kind":"file","values":[${line}\n`);
      return send(target, {
        method: "POST",
        path: "/v1/archives?as=bomb",
        key: target.tenantKey,
        body,
        type: "application/gzip",
      });
    });
  },
  "archives that trickle": async (target) => {
    const path = "/v1/archives?as=slow";
    const sockets: Socket[] = [];
    const bytes = gzipSync(randomBytes(2000));
    for (let i = 0; i < 6; i++)
      sockets.push(
        await open(target, { method: "POST", path, key: target.tenantKey, type: "application/gzip" }, bytes.length),
      );
    for (let sent = 0; sent < 30; sent++) {
      for (const socket of sockets) socket.write(bytes.subarray(sent, sent + 1));
      await pause(100);
    }
    closed(sockets);
  },
  "exports that nobody reads": async (target) => {
    const path = "/v1/agents/mallory/archive";
    const sockets: Socket[] = [];
    for (let i = 0; i < 6; i++) {
      const socket = await open(target, { method: "GET", path, key: target.tenantKey }, 0);
      socket.pause();
      sockets.push(socket);
    }
    await pause(3000);
    closed(sockets);
  },
  "15 tables of 1,250 columns": (target) =>
    times(15, (i) => {
      const body = JSON.stringify({ content: tableBomb(1250) });
      return send(target, { method: "PUT", path: `${FILES}/t${i}.md`, key: target.writeKey, body });
    }),
  "a table in each of 100 files": (target) => {
    const put = Array.from({ length: 100 }, (_, i) => ({ path: `b${i}.md`, content: tableBomb(1250) }));
    return send(target, { method: "POST", path: FILES, key: target.writeKey, body: JSON.stringify({ put }) });
  },
  "150 uploads that stall before their end": async (target) => {
    const part = Buffer.alloc(8 * MB - 100, 0x20);
    const sockets: Socket[] = [];
    for (let i = 0; i < 150; i++) {
      const socket = await open(target, { method: "POST", path: FILES, key: target.writeKey }, 8 * MB);
      socket.write(part);
      sockets.push(socket);
    }
    await pause(5000);
    closed(sockets);
  },
  "60 event streams of 20 keys": async (target) => {
    const ends: (() => void)[] = [];
    await times(60, async (i) => {
      const stop = new AbortController();
      ends.push(() => stop.abort());
      const headers = { authorization: `Bearer ${target.readKeys[i % target.readKeys.length]}` };
      const asked = fetch(`${target.url}/v1/agents/mallory/events`, { headers, signal: stop.signal });
      asked.then((response) => response.arrayBuffer()).catch(() => undefined);
    });
    await pause(5000);
    for (const end of ends) end();
  },
  "questions and files for a model that hangs": (target) =>
    times(40, (i) =>
      i % 2 === 0
        ? send(target, {
            method: "POST",
            path: "/v1/agents/hanging/tools/memory_search",
            key: target.searchKey,
            body: JSON.stringify({ query: `hang ${i}` }),
          })
        : send(target, {
            method: "PUT",
            path: `/v1/agents/hanging/files/h${i}.md`,
            key: target.writeKey,
            body: JSON.stringify({ content: `hang ${i}` }),
          }),
    ),
  "questions for a model that answers 503": (target) =>
    times(60, (i) =>
      send(target, {
        method: "POST",
        path: "/v1/agents/failing/tools/memory_search",
        key: target.searchKey,
        body: JSON.stringify({ query: `fail ${i}` }),
      }),
    ),
};

/** Runs an attack in a separate thread, so that sending does not take the victim's time. */
export async function attack(name: string, target: Target): Promise<void> {
  const worker = new Worker(new URL("hostile-thread.ts", import.meta.url), { workerData: { name, target } });
  await new Promise<void>((done, fail) => {
    worker.once("error", fail);
    worker.once("exit", () => done());
  });
}
