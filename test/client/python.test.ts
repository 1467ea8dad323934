import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockingModules } from "../../scripts/python/blocking-modules.ts";
import { renderPythonTypes } from "../../scripts/python/python-types.ts";
import { createClient } from "../../src/client/client.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { clientPython } from "../support/client-python.ts";
import { needsPython } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const ROOT = "clients/python";
const PACKAGE = join(ROOT, "src/recollect");

let app: TestApp;
let listener: Listener;
beforeAll(async () => {
  app = await startTestApp({ embedder: undefined });
  listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  app.runtime.stopAccepting();
  await listener.close();
  await app.drop();
});

describe("what is made for the Python client is fresh; `npm run python` makes it", () => {
  test("the types, of the OpenAPI document", async () => {
    const { body } = await app.call<object>("GET", "/openapi.json");
    expect(readFileSync(join(PACKAGE, "types.py"), "utf8")).toBe(renderPythonTypes(body));
  });

  test("the blocking client, of the asynchronous one", () => {
    const modules = blockingModules();
    expect([...modules.keys()]).toContain("transport.py");
    for (const [name, text] of modules) expect(readFileSync(join(PACKAGE, "_sync", name), "utf8")).toBe(text);
  });
});

describe("the Python client of a server on loopback", needsPython(), () => {
  const modules = readdirSync(join(ROOT, "tests")).filter((name) => name.startsWith("test_"));
  test.for(modules)("%s", async (name, { skip }) => {
    if (name === "test_tls.py" && spawnSync("openssl", ["version"]).status !== 0) skip("needs openssl");
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: join(process.cwd(), ROOT, "src"),
      RECOLLECT_TEST_URL: listener.url,
      RECOLLECT_TEST_KEY: await app.key(["admin"]),
      RECOLLECT_TEST_CLIENT: JSON.stringify(await methods()),
    };
    // Python warns about every resource that is not closed.
    const args = ["-W", "default", "-m", "unittest", name.replace(/\.py$/, "")];
    const python = clientPython();
    if ("missing" in python) throw new Error(python.missing);
    const run = promisify(execFile)(python.command, args, { cwd: join(ROOT, "tests"), env });
    const { stderr } = await run.catch((error: { stderr: string }) => error);
    expect(stderr).not.toContain("Warning");
    expect(stderr).toMatch(/\nRan \d+ tests? in [\d.]+s\n\nOK\n$/);
  });
});

/** Returns the methods of the TypeScript client by name, each with the route that it requests. */
async function methods(): Promise<Record<string, [method: string, path: string]>> {
  const asked: [string, string][] = [];
  const client = createClient({
    url: "http://client",
    fetch: async (url, { method = "GET" }) => {
      asked.push([method, new URL(url).pathname]);
      return Response.json({ code: "refused", detail: "Enough is known." }, { status: 400 });
    },
  });
  const found: Record<string, [string, string]> = {};
  const walk = async (prefix: string, owner: object) => {
    for (const [name, value] of Object.entries(owner)) {
      if (typeof value === "object") await walk(`${prefix}${name}.`, value as object);
      if (typeof value !== "function" || (prefix === "" && name === "agent")) continue;
      const before = asked.length;
      // The first arguments are ids, and the others objects; the method refuses a wrong form.
      for (let ids = value.length; ids >= 0 && asked.length === before; ids--) {
        const given = Array.from({ length: value.length }, (_, at) => (at < ids ? "memory_store" : {}));
        if (name === "append") given[0] = { session: "memory_store" };
        await call(value as (...given: unknown[]) => unknown, given).catch(() => undefined);
      }
      found[prefix + name] = asked[before] ?? ["", ""];
    }
  };
  await walk("", client);
  await walk("agent.", client.agent());
  return found;
}

async function call(method: (...given: unknown[]) => unknown, given: readonly unknown[]): Promise<unknown> {
  const answer = method(...given);
  return isIterator(answer) ? answer.next() : answer;
}

function isIterator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && "next" in value;
}
