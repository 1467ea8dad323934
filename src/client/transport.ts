import { errorOf, RecollectError } from "./recollect-error.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  /** Where the API is, such as `http://127.0.0.1:7420`. */
  url: string;
  /** An API key; a server on the embedded database that listens on loopback needs none. */
  key?: string | undefined;
  /** The tenant to act in, for a key with the scope `admin`. */
  tenant?: string | undefined;
  /** Another fetch than the global one. */
  fetch?: Fetch | undefined;
  /** What errors call the server; its URL unless said otherwise. */
  name?: string | undefined;
  /** How often a request is tried in all; 5 unless said otherwise. */
  maxTries?: number | undefined;
  /** How long one try may take; 60 s unless said otherwise. */
  timeoutMs?: number | undefined;
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined> | undefined;
  /** Sent as JSON; a blob as it is, under its type. */
  body?: unknown;
  headers?: Record<string, string | undefined> | undefined;
  /**
   * `always`: the request changes nothing, or twice is the same as once. `by key`: it is sent under an Idempotency-Key, so the
   * server makes it once. `if not done`: it is sent again only when it certainly was not carried out. GET is `always`; what else
   * is unless said otherwise is `if not done`.
   */
  repeat?: "always" | "by key" | "if not done" | undefined;
  signal?: AbortSignal | undefined;
}

/** A request whose body or answer is a stream. */
export interface StreamOptions extends Pick<RequestOptions, "query" | "signal"> {
  headers?: Record<string, string> | undefined;
  /** Browsers send no stream over HTTP/1.1, but files of any size. */
  body?: ReadableStream | Blob | undefined;
}

export interface Transport {
  /** One request with a JSON answer, tried again while that may help. @throws RecollectError */
  send<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** The open response of a request that is tried once, and may take as long as it takes. @throws RecollectError */
  open(method: string, path: string, options?: StreamOptions): Promise<Response>;
}

const MAX_TRIES = 5;
const TIMEOUT_MS = 60_000;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;
/** Answers after which a request that may be repeated is. */
const PASSING = new Set([429, 502, 503, 504]);
/** Those among them by which nothing was done; a gateway's 502 or 504 may come after the server did it. */
const NOT_DONE = new Set([429, 503]);

/** Speaks HTTP to one server. Retry-After wins over the growing delays between tries. */
export function createTransport(options: TransportOptions): Transport {
  const { maxTries = MAX_TRIES, timeoutMs = TIMEOUT_MS, name = options.url } = options;
  const base = options.url.replace(/\/+$/, "");
  // A redirect would take key and texts to a host that nobody has named.
  const ask: Fetch = options.fetch ?? ((url, init) => fetch(url, { ...init, redirect: "manual" }));
  const common = {
    ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    ...(options.tenant === undefined ? {} : { "recollect-tenant": options.tenant }),
  };
  return {
    send: async <T>(method: string, path: string, { repeat, signal, ...request }: RequestOptions = {}) => {
      const mode = repeat ?? (method === "GET" ? "always" : "if not done");
      const init = { method, ...contentOf(request, mode, common) };
      const url = `${base}${safe(path)}${queryOf(request.query)}`;
      for (let tries = 1; ; tries++) {
        const limit = AbortSignal.timeout(timeoutMs);
        const within = { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit };
        const attempt = await tryOnce(ask, url, within, { mode, name });
        if ("body" in attempt) return attempt.body as T;
        if (signal?.aborted) throw signal.reason;
        if (!attempt.again || tries >= maxTries) throw attempt.error;
        await pause(attempt.waitMs ?? FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random()), signal);
      }
    },
    open: async (method, path, { query, headers, body, signal } = {}) => {
      const content = {
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
      };
      const init = { method, headers: { ...common, ...headers }, ...content, ...(signal && { signal }) };
      const response = await ask(`${base}${safe(path)}${queryOf(query)}`, init).catch((cause: unknown) => {
        throw signal?.aborted ? signal.reason : unreachable(name, cause, method !== "GET" && !isRefused(cause));
      });
      if (response.ok) return response;
      if (isRedirect(response)) throw redirects(name);
      const retryAfterMs = retryAfterMsOf(response);
      throw errorOf(response.status, parse(await response.text().catch(() => "")), { name, retryAfterMs });
    },
  };
}

type Attempt = { body: unknown } | { error: RecollectError; again: boolean; waitMs?: number | undefined };

async function tryOnce(
  ask: Fetch,
  url: string,
  init: RequestInit,
  { mode, name }: { mode: RequestOptions["repeat"]; name: string },
): Promise<Attempt> {
  const repeatable = mode !== "if not done";
  let response: Response;
  let text: string;
  try {
    response = await ask(url, init);
    // Within the try: a connection can also break in the middle of an answer.
    text = await response.text();
  } catch (cause) {
    const again = repeatable || isRefused(cause);
    return { error: unreachable(name, cause, !again), again };
  }
  if (isRedirect(response)) return { error: redirects(name), again: false };
  const body = parse(text);
  if (response.ok && body !== undefined) return { body };
  const waitMs = retryAfterMsOf(response);
  const error = errorOf(response.status, body, { name, retryAfterMs: waitMs });
  const again =
    (repeatable ? PASSING : NOT_DONE).has(response.status) ||
    (mode === "by key" && error.code === "idempotency_key_in_use");
  return { error, again, waitMs };
}

function contentOf(
  { body, headers = {} }: RequestOptions,
  mode: RequestOptions["repeat"],
  common: Record<string, string>,
) {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    headers: {
      ...common,
      ...(body === undefined ? {} : { "content-type": body instanceof Blob ? body.type : "application/json" }),
      // Made here, before the first try: all tries of one write are one write.
      ...(mode === "by key" ? { "idempotency-key": crypto.randomUUID() } : {}),
      ...Object.fromEntries(given),
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
  };
}

/**
 * The path, unless a part of it is `.` or `..`: `fetch` would resolve it, and a file's path like `../../victim` lead to another
 * route, such as that which erases an agent.
 */
function safe(path: string): string {
  const [route = ""] = path.split(/[?#]/);
  if (route.split(/[\\/]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw new RecollectError(
      "invalid_path",
      "No part of a path may be '.' or '..'; give the path as it is listed.",
      {},
    );
  return path;
}

function queryOf(query: RequestOptions["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** Retry-After in milliseconds, from seconds or an HTTP date (RFC 9110 §10.2.3), at most a minute. */
function retryAfterMsOf({ headers }: Response): number | undefined {
  const header = headers.get("retry-after");
  if (header === null || header.trim() === "") return undefined;
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.min(MAX_DELAY_MS, Math.max(0, waitMs));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Browsers tell of a redirect, and neither its status nor where it leads. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function redirects(name: string): RecollectError {
  const remedy = "use the address that answers; it may begin with https.";
  return new RecollectError(
    "service_unreachable",
    `${name} redirects to another address, which is not followed; ${remedy}`,
    {},
  );
}

/** @param inDoubt whether the server may have done what it was asked */
function unreachable(name: string, cause: unknown, inDoubt: boolean): RecollectError {
  const remedy = inDoubt ? "look whether it was done before you try again." : "is the server running?";
  return new RecollectError("service_unreachable", `No answer from ${name}; ${remedy}`, { cause });
}

/** Whether nobody took the connection, so that the request cannot have arrived. Browsers do not tell. */
function isRefused(cause: unknown): boolean {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: unknown };
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
}

/** @throws the signal's reason when it is aborted meanwhile */
export function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, waitMs);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
