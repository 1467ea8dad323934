import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { dryPublish, installTools, LINTERS, lintPackage, type Packed, pack, runIn } from "../support/packages.ts";
import { callUrl, type RunningCommand, startServerProcess } from "../support/process.ts";

const LARGEST_TARBALL = 60_000;
const RUNTIMES = ["deno@2.9.6", "bun@1.4.5"];
let folder: string;
let project: string;
let tools: string;
let packed: Packed;
let server: RunningCommand & { url: string };
/** The server of a page that uses the client. */
let site: Server;
let page: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-client-"));
  project = join(folder, "project");
  cpSync("test/release/client", project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  packed = pack("@recollect/client", folder);
  runIn(project, "npm", ["install", "--no-audit", "--no-fund", join(folder, packed.filename)]);
  mkdirSync(join(folder, "tools"));
  tools = installTools(join(folder, "tools"), [...LINTERS, ...RUNTIMES]);
  site = createServer((request, response) => sendFile(request.url ?? "", response));
  await once(site.listen(0, "localhost"), "listening");
  page = `http://localhost:${(site.address() as AddressInfo).port}`;
  const data = { RECOLLECT_DATA_DIR: join(folder, "data"), RECOLLECT_PROVIDER: "none" };
  server = await startServerProcess({ ...data, RECOLLECT_CORS_ORIGINS: page });
});
afterAll(async () => {
  server?.child.kill("SIGTERM");
  await server?.ended;
  site?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const expected = { found: ["lunch.md"], files: 1, code: "file_not_found" };

test("it is small, has no dependency, and everything in it is its own", () => {
  process.stdout.write(`Client: ${packed.files.length} files, ${(packed.size / 1e3).toFixed(1)} kB packed\n`);
  expect(packed.size).toBeLessThan(LARGEST_TARBALL);
  const installed = join(project, "node_modules");
  expect(readdirSync(installed).filter((name) => !name.startsWith("."))).toEqual(["@recollect"]);
  expect(readdirSync(join(installed, "@recollect"))).toEqual(["client"]);
  const texts = packed.files
    .filter(({ path }) => /\.(js|ts)$/.test(path))
    .map(({ path }) => readFileSync(join(installed, "@recollect/client", path), "utf8"));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/(?:from|import\(?) ?"([^"]+)"/g)].map(([, name]) => name),
  );
  expect(imported.filter((name) => !name?.startsWith("."))).toEqual([]);
});

test("publint and arethetypeswrong find nothing, and npm would publish what was packed", () => {
  lintPackage(tools, join(folder, packed.filename));
  const { version, files } = dryPublish("@recollect/client");
  expect([version, files]).toEqual([packed.version, packed.files]);
});

test.each(["nodenext", "bundler"])("its types stand alone under moduleResolution %s", (moduleResolution) => {
  const module = moduleResolution === "bundler" ? "esnext" : "nodenext";
  const lib = ["es2024", "dom", "dom.iterable"];
  const compilerOptions = { target: "es2024", lib, module, moduleResolution, strict: true, noEmit: true, types: [] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
  expect(runIn(project, join(process.cwd(), "node_modules/.bin/tsc"), ["-p", "."])).toBe("");
});

test.each([
  ["Node.js", () => [process.execPath, "run.js"]],
  ["Deno", () => [join(tools, "deno"), "run", "--allow-net", "--allow-read", "run.js"]],
  ["Bun", () => [join(tools, "bun"), "run.js"]],
])("it works in %s", (_, command) => {
  const [program = "", ...args] = command();
  expect(JSON.parse(runIn(project, program, [...args, server.url]))).toEqual(expected);
});

describe("in a browser", needsBrowser(), () => {
  test("it works in a page and in a worker", async () => {
    const browser = await openBrowser();
    try {
      const tab = await browser.newPage();
      await tab.goto(page);
      // A page of another origin has no access without a key, on loopback too.
      const asked = { name: "page", scopes: ["tenant"] };
      const { body } = await callUrl<{ key: string }>(server.url, "POST", "/v1/keys", asked);
      const where = JSON.stringify([server.url, body.key]);
      const inPage = await tab.evaluate(`import("/round-trip.js").then(({ roundTrip }) => roundTrip(...${where}))`);
      const inWorker = await tab.evaluate(`new Promise((resolve, reject) => {
        const worker = new Worker("/browser-worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(${where});
      })`);
      expect([inPage, inWorker]).toEqual([expected, expected]);
    } finally {
      await browser.close();
    }
  });
});

/**
 * Sends a file to the page. Workers have no import map, so this replaces the package's name as a
 * bundler does.
 */
function sendFile(path: string, response: ServerResponse): void {
  if (path === "/") {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
    return;
  }
  const client = join(project, "node_modules/@recollect/client/dist/client.js");
  const file = path === "/client.js" ? client : join(project, path);
  if (!existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  const code = readFileSync(file, "utf8").replace('"@recollect/client"', '"/client.js"');
  response.setHeader("content-type", "text/javascript").end(code);
}
