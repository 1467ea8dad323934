import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningCommand, startServerProcess } from "../support/process.ts";

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(process.cwd(), "node_modules/@types")],
  },
  files: ["client.ts"],
};

let folder: string;
let project: string;
let server: RunningCommand & { url: string };

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: project, encoding: "utf8", timeout: 240_000, stdio: ["ignore", "pipe", "pipe"] });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-generated-"));
  project = join(folder, "project");
  server = await startServerProcess({ RECOLLECT_DATA_DIR: join(folder, "data"), RECOLLECT_PROVIDER: "none" });
  // Uses a separate project: the generator needs the compiler API of TypeScript 5, which TypeScript
  // 7 no longer has.
  cpSync("test/release/generated-client", project, { recursive: true });
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(TSCONFIG));
  run("npm", "ci", "--no-audit", "--no-fund");
});
afterAll(async () => {
  server?.child.kill("SIGTERM");
  await server?.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("a client that openapi-typescript generates from the served reference compiles and works", () => {
  run("node_modules/.bin/openapi-typescript", `${server.url}/openapi.json`, "--output", "api.d.ts");
  expect(run("node_modules/.bin/tsc", "-p", ".")).toBe("");
  expect(JSON.parse(run(process.execPath, "client.ts", server.url))).toEqual({
    status: "ready",
    made: "made",
    hash: 64,
    listed: ["notes/a b.md"],
    found: [["notes/a b.md", 1]],
    read: "The gateway listens on 8080.",
    code: "file_not_found",
  });
});
