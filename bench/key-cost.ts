/**
 * Measures what a key costs a request: sends the same searches with and without a key, in turns.
 *
 *   DATABASE_URL=postgres://…/bench node bench/key-cost.ts
 */
import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import { compose } from "../src/start/compose.ts";

const ROUNDS = 400;
const runtime = await compose(readConfig(), { logger: createLogger("error"), worker: false, keyless: true });
const call = async (method: string, path: string, body: unknown, key?: string) => {
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await runtime.app.request(path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, unknown>;
};
const { key } = await call("POST", "/v1/keys", { name: "bench", scopes: ["admin"], requestsPerMinute: 1_000_000 });
await call("PUT", "/v1/agents/main/files/a.md", { content: "# Billing\nThe billing job moved off cron in April." });

async function time(on: (key?: string) => Promise<unknown>, by?: string): Promise<number> {
  const began = performance.now();
  await on(by);
  return performance.now() - began;
}
const median = (times: number[]) => (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(2);
const requests = {
  memory_search: (by?: string) => call("POST", "/v1/agents/main/tools/memory_search", { query: "billing job" }, by),
  memory_get: (by?: string) => call("POST", "/v1/agents/main/tools/memory_get", { path: "a.md" }, by),
};
for (const [name, request] of Object.entries(requests)) {
  for (let i = 0; i < 50; i++) await request(key as string);
  const [without, withKey]: [number[], number[]] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    without.push(await time(request));
    withKey.push(await time(request, key as string));
  }
  console.log(`${name}: without a key ${median(without)} ms, with one ${median(withKey)} ms (medians of ${ROUNDS})`);
}
const began = performance.now();
const PARALLEL = 32;
let done = 0;
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    while (performance.now() - began < 5000) {
      await requests.memory_get(key as string);
      done++;
    }
  }),
);
console.log(`${PARALLEL} clients with one key: ${(done / 5).toFixed(0)} memory_get a second`);
await runtime.close();
