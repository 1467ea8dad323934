import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { dryPublish, installTools, LINTERS, lintPackage, type Packed, pack, runIn } from "../support/packages.ts";
import { type RunningCommand, startServerProcess } from "../support/process.ts";

const LARGEST_TARBALL = 60_000;
const RUNTIMES = ["deno@2.9.6", "bun@1.4.5"];
/** Where the page that uses the client comes from: a loopback address that nobody listens at. */
const PAGE = "http://localhost:49151";

let folder: string;
let project: string;
let tools: string;
let packed: Packed;
let server: RunningCommand & { url: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-client-"));
  project = join(folder, "project");
  cpSync("test/release/client", project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  packed = pack("@recollect/client", folder);
  runIn(project, "npm", ["install", "--no-audit", "--no-fund", join(folder, packed.filename)]);
  mkdirSync(join(folder, "tools"));
  tools = installTools(join(folder, "tools"), [...LINTERS, ...RUNTIMES]);
  const data = { RECOLLECT_DATA_DIR: join(folder, "data"), RECOLLECT_PROVIDER: "none" };
  server = await startServerProcess({ ...data, RECOLLECT_CORS_ORIGINS: PAGE });
});
afterAll(async () => {
  server?.child.kill("SIGTERM");
  await server?.ended;
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
      const page = await browser.newPage();
      await page.route(`${PAGE}/**`, (route) => route.fulfill(fileFor(new URL(route.request().url()).pathname)));
      await page.goto(`${PAGE}/`);
      const inPage = await page.evaluate(
        `import("/round-trip.js").then(({ roundTrip }) => roundTrip("${server.url}"))`,
      );
      const inWorker = await page.evaluate(`new Promise((resolve, reject) => {
        const worker = new Worker("/browser-worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage("${server.url}");
      })`);
      expect([inPage, inWorker]).toEqual([expected, expected]);
    } finally {
      await browser.close();
    }
  });
});

/** Workers have no import map: what a bundler does is done here by a name. */
function fileFor(path: string) {
  if (path === "/") return { contentType: "text/html", body: "<!doctype html><title>A page</title>" };
  const client = join(project, "node_modules/@recollect/client/dist/client.js");
  const text = readFileSync(path === "/client.js" ? client : join(project, path), "utf8");
  return { contentType: "text/javascript", body: text.replace('"@recollect/client"', '"/client.js"') };
}
