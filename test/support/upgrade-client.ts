import { setTimeout as pause } from "node:timers/promises";

/** The experience of a client that writes and searches without a pause. */
export interface UpgradeLog {
  requests: number;
  /** The times at which requests failed, and their statuses or error codes. */
  failures: { atMs: number; why: string }[];
  /** The longest time between two answers that succeeded. */
  longestGapMs: number;
  /** The longest answer that succeeded. */
  slowestMs: number;
  /** Files that were acknowledged and are not found or not read as they were written. */
  lost: string[];
}

interface Place {
  url: string;
  apiKey: string;
  agent: string;
}

const REST_MS = 20;

/**
 * Writes files and looks for each immediately, until `working` returns false. Then reads every
 * acknowledged file. It repeats nothing: a request that fails is counted, and the next one is
 * another.
 */
export async function upgradeClient(place: Place, working: () => boolean): Promise<UpgradeLog> {
  const log: UpgradeLog = { requests: 0, failures: [], longestGapMs: 0, slowestMs: 0, lost: [] };
  const written = new Map<string, string>();
  const begun = performance.now();
  let lastGood = begun;
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T | undefined> => {
    const sent = performance.now();
    log.requests++;
    const answer = await askOnce<T>(place, method, path, body);
    const now = performance.now();
    if (typeof answer === "string") {
      log.failures.push({ atMs: Math.round(sent - begun), why: `${method}: ${answer}` });
      return undefined;
    }
    log.longestGapMs = Math.max(log.longestGapMs, Math.round(now - lastGood));
    log.slowestMs = Math.max(log.slowestMs, Math.round(now - sent));
    lastGood = now;
    return answer.body;
  };
  for (let serial = 0; working(); serial++) {
    const [path, word] = [`${serial % 50}.md`, `${place.agent}w${serial}`];
    const content = `# ${word}\n\nThe note ${word} says something about its matter.\n`;
    if ((await ask("PUT", `/files/${path}`, { content })) !== undefined) {
      written.set(path, content);
      const found = await ask<{ results: { path: string }[] }>("POST", "/search", { query: word, minScore: 0 });
      if (found && !found.results.some((hit) => hit.path === path)) log.lost.push(`${word} is not found`);
    } else written.delete(path);
    await pause(REST_MS);
  }
  for (const [path, content] of written) {
    const read = await ask<{ content: string }>("GET", `/files/${path}`);
    if (read?.content !== content) log.lost.push(`${path} is not as it was written`);
  }
  return log;
}

/** Returns the answer, or the reason why there is none. */
async function askOnce<T>({ url, apiKey, agent }: Place, method: string, path: string, body?: unknown) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(method === "PUT" ? { "idempotency-key": crypto.randomUUID() } : {}),
  };
  try {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/v1/agents/${agent}${path}`, init);
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text.slice(0, 200)}`;
    return { body: JSON.parse(text) as T };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? message;
  }
}
