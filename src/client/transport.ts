import { errorOf, RecollectError } from "./recollect-error.ts";
import { serverAddress } from "./server-address.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  /** The address of the API, such as `http://127.0.0.1:7420`. */
  url: string;
  /** An API key. A server with the embedded database that listens on loopback needs none. */
  key?: string | undefined;
  /** The tenant to act in, for a key with the scope `admin`. */
  tenant?: string | undefined;
  /** The function to use instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** The name of the server in error messages; default: its URL. */
  name?: string | undefined;
  /** The maximum number of tries of a request; default: 5. */
  maxTries?: number | undefined;
  /** The time limit of one try; default: 60 s. */
  timeoutMs?: number | undefined;
  /**
   * Closes the client when it is aborted: no request is sent again, and open streams of events and later
   * calls throw the signal's reason.
   */
  closed?: AbortSignal | undefined;
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | Date | undefined> | undefined;
  /** The body, sent as JSON. A blob is sent unchanged, under its own type. */
  body?: unknown;
  /** Whether a model wrote the body. A model may write null for a value that it leaves out. */
  isOfModel?: boolean | undefined;
  headers?: Record<string, string | undefined> | undefined;
  /**
   * `always`: the request changes nothing, or making it twice has the effect of making it once.
   * `by key`: the request carries an Idempotency-Key, so the server makes it once. `if not done`:
   * the request is sent again only when the server certainly did not carry it out. The default is
   * `always` for GET and `if not done` for other methods.
   */
  repeat?: "always" | "by key" | "if not done" | undefined;
  signal?: AbortSignal | undefined;
}

/** A request whose body or answer is a stream. */
export interface StreamOptions extends Pick<RequestOptions, "query" | "signal"> {
  headers?: Record<string, string> | undefined;
  /** Browsers cannot send a stream over HTTP/1.1, but they can send files of any size. */
  body?: ReadableStream | Blob | Uint8Array<ArrayBuffer> | undefined;
}

export interface Transport {
  /** The signal that closes the client. */
  readonly closed: AbortSignal | undefined;
  /**
   * Sends one request with a JSON answer. Retries it while a retry may help.
   *
   * @throws RecollectError
   */
  send<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /**
   * Sends a request once, without a time limit, and returns the open response.
   *
   * @throws RecollectError
   */
  open(method: string, path: string, options?: StreamOptions): Promise<Response>;
}

const MAX_TRIES = 5;
const TIMEOUT_MS = 60_000;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;
/** Statuses after which a repeatable request is retried. */
const PASSING = new Set([429, 502, 503, 504]);
/**
 * Statuses after which the server certainly did nothing. A gateway may answer 502 or 504 after the
 * server has carried out the request.
 */
const NOT_DONE = new Set([429, 503]);

/**
 * Creates the transport that speaks HTTP to one server. Retry-After takes precedence over the
 * growing delays between tries.
 */
export function createTransport(options: TransportOptions): Transport {
  const { maxTries = MAX_TRIES, timeoutMs = TIMEOUT_MS, name = options.url, closed } = options;
  const base = serverAddress(options.url);
  // A redirect would send the key and the texts to a host that the caller has not named.
  const ask: Fetch = options.fetch ?? ((url, init) => fetch(url, { ...init, redirect: "manual" }));
  const common = {
    ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    ...(options.tenant === undefined ? {} : { "recollect-tenant": options.tenant }),
  };
  return {
    closed,
    send: async <T>(method: string, path: string, { repeat, signal, ...request }: RequestOptions = {}) => {
      const mode = repeat ?? (method === "GET" ? "always" : "if not done");
      const init = { method, ...contentOf(request, mode, common) };
      const url = `${base}${safe(path)}${queryOf(request.query, method === "DELETE")}`;
      for (let tries = 1; ; tries++) {
        closed?.throwIfAborted();
        const limit = AbortSignal.timeout(timeoutMs);
        const within = { ...init, signal: anyOf(limit, signal) };
        const attempt = await tryOnce(ask, url, within, { mode, name, timeoutMs });
        if ("body" in attempt) return attempt.body as T;
        if (signal?.aborted) throw signal.reason;
        if (!attempt.again || tries >= maxTries) throw attempt.error;
        const waitMs = attempt.waitMs ?? FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random());
        await pause(waitMs, closed ? anyOf(closed, signal) : signal);
      }
    },
    open: async (method, path, { query, headers, body, signal } = {}) => {
      closed?.throwIfAborted();
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
  { mode, name, timeoutMs }: { mode: RequestOptions["repeat"]; name: string; timeoutMs: number },
): Promise<Attempt> {
  const repeatable = mode !== "if not done";
  let response: Response;
  let text: string;
  try {
    response = await ask(url, init);
    // The body is read inside the try, because a connection can also break in the middle of an
    // answer.
    text = await response.text();
  } catch (cause) {
    // A handshake that fails once fails again.
    const again = (repeatable || isRefused(cause)) && handshakeRemedy(cause) === undefined;
    if (isOverLimit(cause)) return { error: overLimit(name, cause, timeoutMs, mode !== "always"), again };
    return { error: unreachable(name, cause, !again), again };
  }
  if (isRedirect(response)) return { error: redirects(name), again: false };
  const body = parse(text);
  if (response.ok && body !== undefined) return { body };
  const waitMs = retryAfterMsOf(response);
  const error = errorOf(response.status, body, { name, retryAfterMs: waitMs });
  const again =
    ((repeatable ? PASSING : NOT_DONE).has(response.status) && error.code !== "database_unsupported") ||
    (mode === "by key" && error.code === "idempotency_key_in_use");
  return { error, again, waitMs };
}

function contentOf(
  { body, headers = {}, isOfModel = false }: RequestOptions,
  mode: RequestOptions["repeat"],
  common: Record<string, string>,
) {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    headers: {
      ...common,
      ...(body === undefined ? {} : { "content-type": body instanceof Blob ? body.type : "application/json" }),
      // The key is made here, before the first try, so that all tries of one write share it.
      ...(mode === "by key" ? { "idempotency-key": crypto.randomUUID() } : {}),
      ...Object.fromEntries(given),
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : jsonOf(body, isOfModel) }),
  };
}

/**
 * Returns a body as JSON.
 *
 * @throws RecollectError `invalid_request` for NaN, an infinite number or an invalid date: JSON would
 *   write `null`, which counts as not given; and for a `user` that is undefined, or null where no model wrote
 *   the body
 */
function jsonOf(body: unknown, isOfModel: boolean): string {
  const { facts } = (typeof body === "object" && body !== null ? body : {}) as { facts?: unknown };
  const scopes = new Set<unknown>([body, ...(Array.isArray(facts) ? facts : [])]);
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    const given = this[name];
    // Other fields of this name, as in settings, are no users of a scope.
    if (scopes.has(this) && !(isOfModel && given === null)) refuseNoUser(name, given);
    if (name === "scope") scopes.add(given);
    refuseNoValue(name, given);
    return value;
  });
}

/** @throws RecollectError `invalid_request` for NaN, an infinite number or an invalid date */
function refuseNoValue(name: string, given: unknown): void {
  const isNone =
    given instanceof Date ? Number.isNaN(given.getTime()) : typeof given === "number" && !Number.isFinite(given);
  if (isNone)
    throw new RecollectError(
      "invalid_request",
      `${name} must be a finite number or a valid date; ${String(given)} was given.`,
      {},
    );
}

/**
 * Refuses a user that was given as undefined or null, which is mostly a mistake of the caller's: without a
 * user, the memories of all users are listed or forgotten, and a fact is for everybody.
 *
 * @throws RecollectError `invalid_request`
 */
function refuseNoUser(name: string, value: unknown): void {
  if (name === "user" && (value === undefined || value === null))
    throw new RecollectError(
      "invalid_request",
      `\`user\` is given and ${value}. Give the id of a user, or leave \`user\` out.`,
      {},
    );
}

/**
 * Returns an id as a part of a path. An object becomes the part `NO_ID`, and anything else that is no text,
 * such as `undefined` in a program without types, an empty part. A text with a control character or half of a
 * surrogate pair becomes `UNPRINTABLE`. The transport refuses all three, so that each call rejects and none throws.
 */
export function inPath(id: unknown): string {
  if (typeof id === "object" && id !== null) return NO_ID;
  if (typeof id !== "string") return "";
  return /\p{Cc}|\p{Cs}/u.test(id) ? UNPRINTABLE : encodeURIComponent(id);
}

/**
 * Returns the fields of an optional object of the caller's; none if it is null or undefined.
 *
 * @throws RecollectError `invalid_request` for a number or a text, which would count as no fields
 */
export function fieldsOf<T>(given: T): NonNullable<T> {
  if (given !== undefined && given !== null && typeof given !== "object")
    throw new RecollectError(
      "invalid_request",
      `A call got a ${typeof given} where it takes an object, such as { limit: 10 }.`,
      {},
    );
  return (given ?? {}) as NonNullable<T>;
}

/** Stands for an argument that is an object where an id or a path is meant. No id has this character. */
const NO_ID = "%00";
/** Stands for an id or a path with a control character, or with half of a character. */
const UNPRINTABLE = "%01";

/**
 * Returns the path, unless a part of it is empty, `.` or `..`. `fetch` would resolve a part with
 * dots, so a file's path like `../../victim` would lead to another route, for example the route that
 * erases an agent. A part that is empty, such as a missing id, leads to no route.
 */
function safe(path: string): string {
  if (typeof path !== "string")
    throw new RecollectError("invalid_request", "The path must be a text, such as /v1/agents.", {});
  const [route = ""] = path.split(/[?#]/);
  if (route.split(/[\\/]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw new RecollectError(
      "invalid_path",
      "No part of a path may be '.' or '..'; give the path as it is listed.",
      {},
    );
  if (route.split("/").includes(NO_ID)) {
    const wrong =
      "The argument has the wrong form: this call takes an id or a path as a text, and an object was given.";
    const many = route.includes("/facts/") ? " facts.forgetMany takes an object." : "";
    throw new RecollectError("invalid_request", `${wrong}${many}`, {});
  }
  if (route.includes(UNPRINTABLE))
    throw new RecollectError(
      route.includes("/sessions/")
        ? "invalid_session_key"
        : route.includes("/files/")
          ? "invalid_path"
          : "invalid_request",
      "An id or a path must have printable characters only; it has a control character, or half of a character.",
      {},
    );
  if (/^\/v1\/agents\/(?:\/|$)/.test(route))
    throw new RecollectError("invalid_agent_id", "The id of an agent must be a text that is not empty.", {});
  const [, before] = /^\/v1\/(?:.*\/)?([^/]+)\/(?:\/|$)/.exec(route) ?? [];
  if (before !== undefined && /^\/v1\/agents\/[^/]+\/files\//.test(route))
    throw new RecollectError(
      "invalid_path",
      `The path of a file is missing, is no text, or has an empty part: it begins or ends with a slash, or has two in a row (${route}).`,
      {},
    );
  if (before !== undefined)
    throw new RecollectError(
      "invalid_request",
      `The id or name after "${before}" must be a text that is not empty (${route}).`,
      {},
    );
  return path;
}

/**
 * Returns the options of a call. The server refuses unknown fields of a request; this is for the
 * options that it does not see. Ignored, a misspelt `ifMatch` would overwrite a newer file.
 *
 * @throws RecollectError `invalid_request` if there is an option that is not among `names`
 */
export function onlyKnown<T extends object>(options: T, names: readonly (keyof T & string)[]): T {
  if (typeof options !== "object" || options === null)
    throw new RecollectError("invalid_request", `The options must be an object with ${names.join(", ")}.`, {});
  const unknown = Object.keys(options).find((name) => !names.some((known) => known === name));
  if (unknown === undefined) return options;
  const meant = names.find((name) => name.toLowerCase() === unknown.toLowerCase());
  const help = meant === undefined ? `The options are ${names.join(", ")}.` : `Did you mean ${meant}?`;
  throw new RecollectError("invalid_request", `There is no option ${unknown}. ${help}`, {});
}

function queryOf(query: RequestOptions["query"] = {}, isDeletion = false): string {
  const given = Object.entries(query).flatMap(([name, value]) => {
    refuseNoUser(name, value);
    // In a program without types, an absent value may be null.
    if (value === undefined || (value === null && !isDeletion)) return [];
    // A deletion without the value would delete more.
    if (value === null)
      throw new RecollectError("invalid_request", `${name}: is null. Give a value, or leave it out.`, {});
    refuseNoValue(name, value);
    return [[name, value instanceof Date ? value.toISOString() : String(value)] as [string, string]];
  });
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/**
 * Returns Retry-After in milliseconds, at most a minute. The header holds seconds or an HTTP date
 * (RFC 9110 §10.2.3).
 */
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

/**
 * Returns whether the response is a redirect. Browsers report a redirect as `opaqueredirect`,
 * without its status and target.
 */
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
  const asUsual = inDoubt
    ? "check whether the request was carried out before you try again."
    : "is the server running?";
  return new RecollectError("service_unreachable", `No answer from ${name}; ${handshakeRemedy(cause) ?? asUsual}`, {
    cause,
  });
}

function isOverLimit(cause: unknown): boolean {
  return (cause as Error | undefined)?.name === "TimeoutError";
}

/** Returns the error for a try that took longer than its limit. The server may still carry out the request. */
function overLimit(name: string, cause: unknown, timeoutMs: number, isWrite: boolean): RecollectError {
  const remedy = isWrite
    ? "the server may have carried it out: check that before you try again, and give timeoutMs more time."
    : "give timeoutMs more time.";
  return new RecollectError("service_unreachable", `No answer from ${name} within ${timeoutMs} ms; ${remedy}`, {
    cause,
  });
}

/** What to do about a failed TLS handshake, by the error's code in Node.js. */
const TLS_REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    "it does not speak TLS at this port: use the port that does, or http://.",
  ],
  [/^CERT_HAS_EXPIRED$/, "its certificate has expired."],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "its certificate is for another name: use the name that it has."],
  [/^UNABLE_TO_|SELF_SIGNED/, "its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the file of its authority."],
];

/**
 * Returns what to do about a failed TLS handshake; undefined for any other error. Browsers do not
 * report it.
 */
function handshakeRemedy(cause: unknown): string | undefined {
  const code = String(causeOf(cause).code ?? "");
  return TLS_REMEDIES.find(([codes]) => codes.test(code))?.[1];
}

function causeOf(error: unknown): { code?: unknown } {
  return ((error as Error | undefined)?.cause ?? {}) as { code?: unknown };
}

/**
 * Returns whether no server accepted the connection, so that the request cannot have arrived.
 * Browsers do not report this.
 */
function isRefused(cause: unknown): boolean {
  const { code } = causeOf(cause);
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
}

/** Returns a signal that is aborted as soon as one of the given signals is aborted. */
export function anyOf(one: AbortSignal, ...others: readonly (AbortSignal | undefined)[]): AbortSignal {
  const given = others.filter((signal) => signal !== undefined);
  // Older browsers have no `AbortSignal.any`. With one signal they need none.
  return given.length === 0 ? one : AbortSignal.any([one, ...given]);
}

/** Waits for `waitMs`. @throws the signal's reason when the signal is aborted during the wait */
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
