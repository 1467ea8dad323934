import { expect, test } from "vitest";
import { createFairLane } from "../../src/base/fair-lane.ts";
import { runInContext } from "../../src/base/request-context.ts";

const as = <T>(tenantId: string, work: () => T, agentId = "main"): T =>
  runInContext({ tenantId, agentId, statements: 0 }, work);
const settle = () => new Promise(setImmediate);

/**
 * Makes a lane whose tasks the test holds and releases. `begun` records the order in which they
 * began.
 */
function harness(limit: number) {
  const lane = createFairLane(limit);
  const begun: string[] = [];
  const held = new Map<string, () => void>();
  const ask = (name: string, how: { share?: number; signal?: AbortSignal; agent?: string } = {}) => {
    const task = () => {
      begun.push(name);
      return new Promise<void>((resolve) => held.set(name, resolve));
    };
    return as(name.charAt(0), () => lane.run(task, how), how.agent);
  };
  const finish = async (name: string) => {
    held.get(name)?.();
    held.delete(name);
    await settle();
  };
  return { lane, begun, ask, finish };
}

test("who waits is served in turns of the tenants, not in the order of a flood", async () => {
  const { begun, ask, finish } = harness(1);
  const asked = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => ask(name));
  await settle();
  for (let i = 0; i < 7; i++) await finish(begun.at(-1) ?? "");
  await Promise.all(asked);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a tenant alone has the whole lane; with others in it, one place is never its own", async () => {
  const { begun, ask, finish } = harness(3);
  const asked = ["a1", "a2", "a3", "a4"].map((name) => ask(name));
  await settle();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  asked.push(ask("b1"));
  await finish("a1");
  expect(begun.at(-1)).toBe("b1");
  await finish("b1");
  // Two tasks of the first tenant hang, and another tenant does not wait for them.
  expect(begun).not.toContain("a4");
  asked.push(ask("b2"));
  await settle();
  expect(begun.at(-1)).toBe("b2");
  for (const name of ["a2", "a4", "a3", "b2"]) await finish(name);
  await Promise.all(asked);
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "b2", "a4"]);
});

test("an agent's share limits that agent, not its tenant", async () => {
  const { begun, ask, finish } = harness(4);
  const small = { agent: "small", share: 1 };
  const asked = [ask("a1", small), ask("a2", small), ask("a3", { agent: "big" }), ask("a4", { agent: "big" })];
  await settle();
  expect(begun).toEqual(["a1", "a3", "a4"]);
  await finish("a1");
  expect(begun.at(-1)).toBe("a2");
  for (const name of begun) await finish(name);
  await Promise.all(asked);
});

test("who leaves takes no place, and a task that fails gives its place back", async () => {
  const { lane, begun, ask, finish } = harness(1);
  const stop = new AbortController();
  const first = ask("a1");
  const second = ask("a2", { signal: stop.signal });
  const third = ask("b1");
  stop.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  await finish("a1");
  expect(begun).toEqual(["a1", "b1"]);
  // A task that runs must heed the signal itself.
  await finish("b1");
  await Promise.all([first, third]);
  await expect(lane.run(async () => Promise.reject(new Error("bad")))).rejects.toThrow("bad");
  expect(await lane.run(async () => "next")).toBe("next");
});
