import { setTimeout as pause } from "node:timers/promises";
import { QUERY_MARK } from "./metered-provider.ts";

/** The observations of the clients of a run. */
export interface RollingLog {
  /** Requests that failed although they were sent to the other API too, and wrong answers. */
  failures: string[];
  /** The milliseconds of each request, including its second try. */
  latencies: number[];
  /** The numbers of second tries, by the reason why the first got no answer. */
  retries: Map<string, number>;
}

/** A request that may be sent again if its connection was lost before any byte of the answer. */
interface RollingRequest {
  method: string;
  path: string;
  body?: unknown;
  key?: string;
}

/** A client of an agent. Only this client writes the paths and facts that begin with its name. */
export interface RollingClient {
  /**
   * Writes until `writing` returns false, and after each write immediately looks for it through the
   * other API.
   */
  work(writing: () => boolean): Promise<void>;
  /** Compares the contents of each API with the acknowledged writes. */
  check(urls: readonly string[]): Promise<void>;
}

/** Sends each request to the next API; if it does not answer, sends it once more to the other. */
export function roundRobin(urls: readonly string[], apiKey: string, log: RollingLog) {
  let turn = 0;
  const send = async <T>(url: string, { method, path, body, key }: RollingRequest) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(new URL(path, url), init);
    // The answer is read outside the caller's try, because a request is not sent again once its
    // answer has begun.
    return async () => ({ status: response.status, body: (await response.json()) as T });
  };
  return async <T>(request: RollingRequest): Promise<{ status: number; body: T }> => {
    const [first = "", second = ""] = [0, 1].map((next) => urls[(turn + next) % urls.length]);
    turn++;
    const begun = performance.now();
    const answer = await send<T>(first, request).catch((error: Error) => {
      const { code = "unknown" } = (error.cause ?? {}) as { code?: string };
      log.retries.set(code, (log.retries.get(code) ?? 0) + 1);
      return send<T>(second, request);
    });
    const { status, body } = await answer();
    log.latencies.push(performance.now() - begun);
    if (status >= 400) log.failures.push(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
    return { status, body };
  };
}

const PLACES = 6;

/** @param ask from `roundRobin`: of two requests in a row, the second goes to the other API */
export function rollingClient(
  { agent, name, restMs }: { agent: string; name: string; restMs: number },
  ask: ReturnType<typeof roundRobin>,
  log: RollingLog,
  apiKey: string,
): RollingClient {
  const base = `/v1/agents/${agent}`;
  const files = new Map<string, string>();
  const facts = new Set<string>();
  let serial = 0;
  const find = async (path: string, word: string) => {
    const body = { query: `${QUERY_MARK} ${word}`, minScore: 0 };
    const found = await ask<{ results: { path: string }[] }>({
      method: "POST",
      path: `${base}/tools/memory_search`,
      body,
    });
    return found.body.results?.some((hit) => hit.path === path) ?? false;
  };
  const step = async () => {
    const word = `${name}w${++serial}`;
    const path = `${name}/${serial % PLACES}.md`;
    const [content, key] = [`# ${word}\n\nThe ${word} has words about its matter.\n`, crypto.randomUUID()];
    // Makes the other API cache its answer to this question, which is correct until the write.
    await find(path, word);
    await ask({ method: "PUT", path: `${base}/files/${path}`, body: { content }, key });
    files.set(path, content);
    if (!(await find(path, word))) log.failures.push(`${word} was acknowledged and is not found`);
    const read = await ask<{ content: string }>({ method: "GET", path: `${base}/files/${path}` });
    if (read.body.content !== content) log.failures.push(`${path} was not read as it was written`);
    if (serial % 4 === 0) {
      const messages = [{ role: "user", text: `Please remember that the box ${word} is green.` }];
      const captured = await ask<{ facts: { text: string }[] }>({
        method: "POST",
        path: `${base}/capture`,
        body: { messages },
      });
      const [fact] = captured.body.facts;
      if (fact) facts.add(fact.text);
      else log.failures.push(`nothing was captured of ${word}`);
    }
    if (serial % 5 === 0) {
      await ask({ method: "DELETE", path: `${base}/files/${path}`, key: crypto.randomUUID() });
      files.delete(path);
      if (await find(path, word)) log.failures.push(`${word} was deleted and is found`);
    }
    await pause(restMs);
  };
  return {
    work: async (writing) => {
      while (writing()) await step();
    },
    check: async (urls) => {
      for (const url of urls) {
        const own = roundRobin([url, url], apiKey, log);
        for (const [path, content] of files) {
          const read = await own<{ content?: string }>({ method: "GET", path: `${base}/files/${path}` });
          if (read.body.content !== content) log.failures.push(`${url}: ${path} is not as it was written last`);
        }
        const stored: string[] = [];
        for (let next: string | undefined = ""; next !== undefined; ) {
          const page: { body: { facts: { text: string }[]; nextCursor?: string } } = await own({
            method: "GET",
            path: `${base}/facts?all=true&limit=100${next && `&cursor=${next}`}`,
          });
          stored.push(...page.body.facts.map((fact) => fact.text));
          next = page.body.nextCursor;
        }
        for (const text of facts)
          if (stored.filter((one) => one === text).length !== 1)
            log.failures.push(`${url}: the fact "${text}" is not there once`);
      }
    },
  };
}

/**
 * Reads one API's stream of an agent's status again and again. A stream must end in good order,
 * unless it could not be opened.
 */
export async function followStream(
  { url, agent, apiKey }: { url: string; agent: string; apiKey: string },
  log: RollingLog,
  following: () => boolean,
): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  while (following()) {
    const stream = await fetch(new URL(`/v1/agents/${agent}/events`, url), { headers }).catch(() => undefined);
    if (!stream?.body) {
      await pause(100);
      continue;
    }
    try {
      for await (const part of stream.body) if (part.length > 0 && !following()) break;
    } catch (error) {
      log.failures.push(`${url}: a stream was cut off: ${error}`);
    }
  }
}
