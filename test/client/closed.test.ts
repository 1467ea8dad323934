import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { AgentClient } from "../../src/client/agent-client.ts";
import { createRecollect } from "../../src/start/create-recollect.ts";

const CLOSED = { name: "RecollectError", code: "service_unreachable", message: "This Recollect was closed." };

test("closing ends open streams with its reason, and later calls throw at once", async () => {
  const recollect = await createRecollect({ provider: "none" });
  const memory = recollect.agent("bot");
  await memory.files.put("ports.md", "The gateway listens on 8080.");
  const [status, changes] = [memory.watchStatus(), memory.watchChanges({ since: new Date(0).toISOString() })];
  await Promise.all([status.next(), changes.next()]);
  const open = [status.next(), changes.next()];
  const underWay = [memory.files.put("last.md", "We eat at noon."), memory.search("gateway")] as const;
  const ends = open.map((next) => expect(next).rejects.toMatchObject(CLOSED));
  await Promise.all([recollect.close(), recollect.close()]);
  const [written, found] = await Promise.all(underWay);
  expect([written.status, found.results?.map(({ path }) => path)]).toEqual(["created", ["ports.md"]]);
  await Promise.all(ends);
  const calls = {
    put: () => memory.files.put("a.md", "text"),
    get: () => memory.get("ports.md"),
    search: () => memory.search("gateway"),
    recall: () => memory.recall({ message: "Where is the gateway?" }),
    list: () => recollect.agents.list(),
    all: () => memory.files.all().next(),
    key: () => recollect.key(),
    open: () => recollect.open("GET", "/health/ready"),
    watchStatus: () => memory.watchStatus().next(),
    watchChanges: () => memory.watchChanges().next(),
  };
  for (const [name, call] of Object.entries(calls)) await expect(call(), name).rejects.toMatchObject(CLOSED);
});

test("a loop that is still open keeps no process alive after the close", async () => {
  const entry = new URL("../../src/start/create-recollect.ts", import.meta.url).href;
  const script = `
    const { createRecollect } = await import(${JSON.stringify(entry)});
    const recollect = await createRecollect({ provider: "none", log: "silent" });
    const first = Promise.withResolvers();
    const loop = (async () => { for await (const _ of recollect.agent().watchStatus()) first.resolve(); })()
      .catch(({ code }) => process.stdout.write(code));
    await first.promise;
    await recollect.close();
    await loop;`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", script], { timeout: 60_000 });
  expect(stdout).toBe("service_unreachable");
});

test("the end of a block closes what it uses", async () => {
  let memory: AgentClient;
  {
    await using recollect = await createRecollect({ provider: "none" });
    memory = recollect.agent("block");
    await memory.files.put("a.md", "text");
  }
  await expect(memory.search("text")).rejects.toMatchObject(CLOSED);
});
