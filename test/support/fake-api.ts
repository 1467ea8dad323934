import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface RecordedRequest {
  method: string;
  path: string;
  body: Batch & Record<string, unknown>;
  bytes: number;
}

interface Batch {
  put?: { path: string; content: string; mtime?: string }[];
  delete?: string[];
  origin?: string | undefined;
  takeOver?: boolean;
}

interface StoredFile {
  content: string;
  mtime: string | undefined;
  /** The file's origin; a file without one belongs to no origin. */
  origin?: string | undefined;
}

/**
 * The files API as the CLI sees it, over real HTTP, with the server's limits. Tests can change its
 * answers.
 */
export interface FakeApi {
  url: string;
  /** The files of the agent `main`; undefined until the first write. */
  files: Map<string, StoredFile> | undefined;
  requests: RecordedRequest[];
  /** The largest number of POST requests that were under way at once. */
  mostInFlight: number;
  /** Holds the first POSTs until that many are in flight; 0 answers each at once. */
  heldUntil: number;
  /** The number of files on a page of the list. */
  pageSize: number;
  /**
   * Numbers of chunks that the next status answers report as pending, one per request; 0 when used
   * up.
   */
  pending: number[];
  /** The number of pending chunks that the answer to a put claims for each file. */
  pendingPerFile: number;
  /**
   * Returns an answer that replaces the API's; `"hang up"` closes the connection; undefined lets
   * the API answer.
   */
  intercept: (request: RecordedRequest) => Reply | "hang up" | undefined;
  posts(): RecordedRequest[];
  paths(): string[];
  /**
   * Ends all connections and takes no more, until `comeBack` starts it at the same address with the
   * same files.
   */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Returns an error answer in the server's wording. */
export function errorReply(status: number, code: string, message: string, headers: Record<string, string> = {}): Reply {
  return { status, body: errorBody(code, message), headers };
}

function errorBody(code: string, message: string, more: object = {}): object {
  const error = { code, requestId: "r-1", ...more };
  return { ...error, detail: message, error: { ...error, message } };
}

/** Starts the fake on a free loopback port. */
export async function startFakeApi(): Promise<FakeApi> {
  let inFlight = 0;
  const overlap = Promise.withResolvers<void>();
  const server = createServer(async (incoming, outgoing) => {
    const request = await readRequest(incoming);
    api.requests.push(request);
    api.mostInFlight = Math.max(api.mostInFlight, request.method === "POST" ? ++inFlight : inFlight);
    // Gives requests that were sent at the same time the chance to overlap.
    await new Promise((resolve) => setImmediate(resolve));
    if (inFlight >= api.heldUntil) overlap.resolve();
    if (request.method === "POST" && api.heldUntil > 0) await overlap.promise;
    const reply = api.intercept(request) ?? answer(api, request);
    if (request.method === "POST") inFlight--;
    if (reply === "hang up") return void incoming.socket.destroy();
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(text);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goAway = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const api: FakeApi = {
    url: `http://127.0.0.1:${port}`,
    files: undefined,
    requests: [],
    mostInFlight: 0,
    heldUntil: 0,
    pageSize: 1000,
    pending: [],
    pendingPerFile: 0,
    intercept: () => undefined,
    posts: () => api.requests.filter((request) => request.method === "POST"),
    paths: () => [...(api.files?.keys() ?? [])].sort(),
    goAway,
    comeBack: () => listen(port),
    close: goAway,
  };
  return api;
}

async function readRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  const body = (text === "" ? {} : JSON.parse(text)) as RecordedRequest["body"];
  return { method: incoming.method ?? "", path: incoming.url ?? "", body, bytes: Buffer.byteLength(text) };
}

function answer(api: FakeApi, request: RecordedRequest): Reply {
  const url = new URL(request.path, api.url);
  const route = `${request.method} ${url.pathname}`;
  if (route === "GET /v1/agents/main/files") return listFiles(api, url);
  if (route === "GET /v1/agents/main/origins")
    return api.files
      ? { status: 200, body: { origins: [] } }
      : errorReply(404, "agent_not_found", "There is no agent main.");
  if (route === "POST /v1/agents/main/files") return writeBatch(api, request.body);
  if (route === "GET /v1/agents/main/status")
    return { status: 200, body: { agentId: "main", pendingEmbeddings: api.pending.shift() ?? 0, jobs: {} } };
  return errorReply(404, "not_found", `There is no ${route}.`);
}

function listFiles(api: FakeApi, url: URL): Reply {
  if (!api.files) return errorReply(404, "agent_not_found", "There is no agent main.");
  const from = Number(url.searchParams.get("cursor") ?? 0);
  const prefix = url.searchParams.get("prefix") ?? "";
  const all = [...api.files].filter(([path]) => path.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  const files = all.slice(from, from + api.pageSize).map(([path, { content, origin = null }]) => ({
    path,
    hash: sha256(content),
    origin,
  }));
  const next = from + files.length;
  return { status: 200, body: { files, ...(next < all.length ? { nextCursor: String(next) } : {}) } };
}

function writeBatch(api: FakeApi, { put = [], delete: doomed = [], origin, takeOver = false }: Batch): Reply {
  const paths = [...put.map((file) => file.path), ...doomed];
  if (paths.length === 0 || paths.length > 100)
    return errorReply(400, "invalid_request", "A batch has 1 to 100 files.");
  if (new Set(paths).size < paths.length)
    return errorReply(400, "invalid_request", "A path stands twice in the batch.");
  if (paths.some((path) => path.includes("\\") || path !== path.normalize("NFC")))
    return errorReply(400, "invalid_path", "The path contains a backslash.");
  if (put.some((file) => file.content.length > 4_000_000))
    return errorReply(413, "payload_too_large", "The body is too large.");
  api.files ??= new Map();
  const stored = api.files;
  const theirs = pathsOfOthers(stored, { put, delete: doomed, origin, takeOver });
  if (theirs.length > 0) {
    const more = { details: { paths: theirs } };
    return { status: 409, body: errorBody("origin_conflict", "They are others'.", more) };
  }
  const files = put.map(({ path, content, mtime }) => {
    const before = stored.get(path);
    const isKept = before?.content === content && before.origin !== undefined && !takeOver;
    stored.set(path, { content, mtime, origin: isKept ? before.origin : origin });
    const status = before === undefined ? "created" : before.content === content ? "unchanged" : "updated";
    return { path, hash: sha256(content), status, chunks: 1, pendingEmbeddings: api.pendingPerFile };
  });
  const deleted = doomed.filter((path) => stored.delete(path));
  return { status: 200, body: { files, deleted } };
}

function pathsOfOthers(stored: ReadonlyMap<string, StoredFile>, batch: Batch): string[] {
  const { put = [], delete: doomed = [], origin, takeOver } = batch;
  if (origin === undefined) return [];
  const isOthers = (path: string) => stored.has(path) && stored.get(path)?.origin !== origin;
  const changed = takeOver ? [] : put.filter(({ path, content }) => stored.get(path)?.content !== content);
  return [...changed.map(({ path }) => path), ...doomed].filter(isOthers);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
