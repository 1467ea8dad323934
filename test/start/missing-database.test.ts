import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteDataFolder } from "../../src/wiring/data-folders.ts";
import { COMMAND, runCommand } from "../support/process.ts";

let home: string;

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "recollect-missing-")));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Makes a folder of the home folder. */
function folder(...parts: string[]): string {
  const path = join(home, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Makes a folder that looks like one with a database, and returns the database's folder. */
function withDatabase(...parts: string[]): string {
  const dataDir = join(folder(...parts), ".recollect");
  mkdirSync(join(dataDir, "postgres"), { recursive: true });
  writeFileSync(join(dataDir, "postgres/PG_VERSION"), "17\n");
  return dataDir;
}

/** Runs a command in a folder, as a user whose machine has only what the test made. */
async function run(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  // Nothing listens on port 1.
  const own = { HOME: home, RECOLLECT_CACHE_DIR: join(home, "cache"), RECOLLECT_PORT: "1", ...env };
  const command = runCommand(args, own, COMMAND, cwd);
  const code = await command.ended;
  return { code, ...command.output() };
}

test.each([["status"], ["search", "pumps"], ["agents", "export", "main", "--out", "main.archive"]])(
  "%s makes no database and no file, and says how to begin",
  async (...args) => {
    const cwd = folder("empty", args[0] ?? "");
    const { code, stdout, stderr } = await run(cwd, args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `There is no database in ${join(cwd, ".recollect")}, and this command makes none. None is known on this machine. ` +
        "To begin here, run `recollect serve`, or store something: `recollect sync <folder>`. (config_invalid)\n",
    );
    expect(existsSync(join(cwd, ".recollect"))).toBe(false);
    expect(existsSync(join(cwd, "main.archive"))).toBe(false);
  },
);

test("every command warns of a misspelt variable, once", async () => {
  const env = {
    RECOLLECT_DATBASE_URL: "postgres://it",
    RECOLLECT_DATABASE_URL: "x",
    RECOLLECT_IMAGE: "of a compose file",
  };
  for (const args of [
    ["status"],
    ["migrate"],
    ["agents", "restore", "a", "--from", "-", "--yes"],
    ["profile", "list"],
  ]) {
    const { stderr } = await run(folder("misspelt"), args, { ...env, RECOLLECT_PROVIDER: "none" });
    const lines = stderr.split("\n").filter((line) => line.startsWith("There is no variable"));
    expect(lines, args.join(" ")).toEqual([
      "There is no variable RECOLLECT_DATBASE_URL. Did you mean DATABASE_URL?",
      "There is no variable RECOLLECT_DATABASE_URL. Did you mean DATABASE_URL?",
    ]);
  }
});

test("a dry run answers as an empty memory would, and leaves nothing behind", async () => {
  const cwd = folder("dry");
  writeFileSync(join(cwd, "a.md"), "A note");
  const { code, stdout } = await run(cwd, ["sync", ".", "--dry-run"], { RECOLLECT_PROVIDER: "none" });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("would send a.md\n") });
  expect(existsSync(join(cwd, ".recollect"))).toBe(false);
});

test("it names the database of a folder above, those used before, a server, and a file of variables", async () => {
  const above = withDatabase("project");
  const used = withDatabase("elsewhere");
  const gone = join(home, "gone/.recollect");
  const cacheDir = folder("cache-of-user");
  for (const dataDir of [gone, used]) noteDataFolder({ cacheDir, dataDir });
  const cwd = folder("project/src/deep");
  writeFileSync(join(home, "project/src/.env"), "# RECOLLECT_URL=x\nexport RECOLLECT_DATA_DIR=/srv/memory\nOTHER=1\n");
  const server = createServer((_request, response) => response.end('{"name":"recollect","version":"1.0.0"}'));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const port = String((server.address() as AddressInfo).port);
  try {
    const { code, stderr } = await run(cwd, ["status"], { RECOLLECT_CACHE_DIR: cacheDir, RECOLLECT_PORT: port });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${join(home, "project/src/.env")} sets RECOLLECT_DATA_DIR, but the environment does not.`,
    );
    expect(stderr).toContain(`A server answers at http://127.0.0.1:${port}: add --url http://127.0.0.1:${port}.`);
    expect(stderr).toContain(`There is one in ${above}, and one in ${used}: set RECOLLECT_DATA_DIR to it.`);
    expect(stderr).not.toContain(gone);
  } finally {
    server.close();
  }
});

test("a variable that names a folder without a database is answered too", async () => {
  const cwd = folder("named");
  writeFileSync(join(cwd, ".env"), "RECOLLECT_DATA_DIR=memory\n");
  const { code, stderr } = await run(cwd, ["status"], { RECOLLECT_DATA_DIR: "mistyped" });
  expect(code).toBe(1);
  expect(stderr).toContain(`There is no database in ${join(cwd, "mistyped")}`);
  expect(stderr).not.toContain(".env");
  expect(existsSync(join(cwd, "mistyped"))).toBe(false);
});

test("the folder of a command that stored something is known afterwards", async () => {
  const cwd = folder("first");
  const env = { RECOLLECT_PROVIDER: "none" };
  expect((await run(cwd, ["facts", "add", "Mina lives in Oslo"], env)).code).toBe(0);
  expect((await run(cwd, ["status"], env)).code).toBe(0);
  const { stderr } = await run(folder("second"), ["status"], env);
  expect(stderr).toContain(`There is one in ${join(cwd, ".recollect")}: set RECOLLECT_DATA_DIR to it.`);
});
