import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND, runCommand } from "../support/process.ts";

let home: string;
let env: Record<string, string>;
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "recollect-serve-")));
  env = { HOME: home, RECOLLECT_PROVIDER: "none" };
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (args: string[], more: Record<string, string> = {}) => runCommand(args, { ...env, ...more }, COMMAND, home);

test("as text, the server says where it listens, where the memory is, and how to stop it", async () => {
  const { child, saw, ended, output } = run(["serve", "--port", "0", "--log", "text"]);
  const [, url = ""] = await saw(/^Recollect \S+ serves at (http:\S+)\n/);
  await saw(/Ctrl-C stops it\./);
  expect((await fetch(`${url}/health/live`)).headers.get("recollect-version")).toMatch(/^\d+\.\d+\.\d+$/);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  const { stdout, stderr } = output();
  expect(stdout).toBe("");
  expect(stderr).toMatch(new RegExp(`^console +${url}/console/$`, "m"));
  expect(stderr).toMatch(new RegExp(`^data folder +${join(home, ".recollect")}$`, "m"));
  expect(stderr).toMatch(/^model +none: search is by keyword only$/m);
  expect(stderr).toMatch(/\nStopping: .*\nStopped\.\n$/);
  expect(stderr).not.toContain("{");
});

test("a pipe gets JSON lines, and a terminal can ask for them", async () => {
  const { child, saw, ended, output } = run(["serve", "--port", "0", "--json"]);
  await saw(/"msg":"listening"/);
  child.kill("SIGTERM");
  await ended;
  for (const line of [...output().stderr.trim().split("\n"), ...output().stdout.trim().split("\n")])
    expect(() => JSON.parse(line)).not.toThrow();
});

test.each(["serve", "start"])("%s finds a taken port before it makes a database", async (command) => {
  const other = createServer((_request, response) => response.end("another program"));
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  const port = String((other.address() as AddressInfo).port);
  const dataDir = join(home, `taken-${command}`);
  const ran = run([command], { RECOLLECT_PORT: port, RECOLLECT_DATA_DIR: dataDir });
  expect(await ran.ended).toBe(1);
  expect(ran.output().stderr).toContain(
    `Port ${port} on 127.0.0.1 is taken; choose another with RECOLLECT_PORT or --port. (config_invalid)`,
  );
  expect(existsSync(dataDir)).toBe(false);
  other.close();
});

test("the sentence about a port that a Recollect server has names that server", async () => {
  const other = createServer((_request, response) => response.end('{"name":"recollect","version":"0.0.7"}'));
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  const { port } = other.address() as AddressInfo;
  const ran = run(["serve", "--port", String(port)], { RECOLLECT_DATA_DIR: join(home, "second") });
  expect(await ran.ended).toBe(1);
  expect(ran.output().stderr).toContain(
    `is taken by a Recollect server, 0.0.7: use that one (--url http://127.0.0.1:${port}), stop it, or choose another`,
  );
  other.close();
});

test.each([
  ["203.0.113.7", "This machine has no address 203.0.113.7; choose another with RECOLLECT_HOST or --host"],
  ["no-such-host.invalid", "This machine has no address no-such-host.invalid; choose another"],
])("a host that is not this machine's is answered in a sentence: %s", async (host, sentence) => {
  const ran = run(["serve", "--host", host, "--port", "4199"], { RECOLLECT_DATA_DIR: join(home, "nowhere") });
  expect(await ran.ended).toBe(1);
  expect(ran.output().stderr).toContain(sentence);
  expect(existsSync(join(home, "nowhere"))).toBe(false);
});
