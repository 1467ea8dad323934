import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen } from "../../src/http/listen.ts";
import { writeExamples } from "../support/entries.ts";
import { startTestApp } from "../support/test-app.ts";

interface Asked {
  tools?: { function: { name: string } }[];
  messages: { role: string; content: string; tool_call_id?: string }[];
}

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

test("the example's loop gives the model its tools, carries out what it calls, and prints its answer", async () => {
  const app = await startTestApp({ worker: false });
  await app.put("notes.md", "The zebra is called Alma.");
  const recollect = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  const asked: Asked[] = [];
  const script = [
    {
      content: null,
      tool_calls: [call("1", "memory_search", '{"query":"zebra"}'), call("2", "memory_get", "{broken")],
    },
    { content: null, tool_calls: [call("3", "memory_get", '{"path":"notes.md"}')] },
    { content: "She is called Alma." },
  ];
  const model = createServer(async (request, response) => {
    asked.push(JSON.parse(await text(request)) as Asked);
    const message = { role: "assistant", ...script[asked.length - 1] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "c", object: "chat.completion", choices: [{ index: 0, message }] }));
  });
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  const { PATH = "" } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "recollect-examples-"));
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  writeExamples(folder);
  const child = spawn(process.execPath, ["examples/agent-loop.ts", "what", "is", "the", "zebra", "called?"], {
    cwd: folder,
    env: {
      PATH,
      RECOLLECT_URL: recollect.url,
      RECOLLECT_API_KEY: await app.key(["search"]),
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      OPENAI_API_KEY: "none",
    },
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(printed, errors).toBe("She is called Alma.\n");
  expect(asked[0]?.tools?.map((tool) => tool.function.name)).toContain("memory_search");
  expect(asked[0]?.messages[0]?.content).toContain("## Memory Recall");
  const results = new Map(asked[2]?.messages.map((message) => [message.tool_call_id, message.content]));
  expect(results.get("1")).toContain('"path":"notes.md"');
  expect(results.get("2")).toContain("SyntaxError");
  expect(results.get("3")).toContain("The zebra is called Alma.");
  model.close();
  rmSync(folder, { recursive: true });
  await recollect.close();
  await app.drop();
});
