import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMAND } from "../support/process.ts";

const WATCH = new URL("../support/watch-network.ts", import.meta.url).href;
/** Shows the system calls of native code too, if strace is installed and may trace. */
const STRACE = ["/usr/bin/strace", "/bin/strace"].find(
  (path) => spawnSync(path, ["-o", "/dev/null", "true"]).status === 0,
);

describe("a process that embeds with the built-in model's native engine", () => {
  let home: string;
  let output: string;
  const networkLog = () => readFileSync(join(home, "network.log"), "utf8").trim().split("\n");
  const callLog = () => readFileSync(join(home, "calls.log"), "utf8");

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "recollect-home-"));
    mkdirSync(join(home, "notes"));
    writeFileSync(join(home, "notes", "a.md"), "The heron waits at the ferry.");
    const traced = STRACE === undefined ? [] : [STRACE, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg"];
    const [program = "", ...args] = [
      ...(traced.length === 0 ? [] : [...traced, "-o", join(home, "calls.log")]),
      ...[process.execPath, "--import", WATCH, COMMAND],
      ...["sync", join(home, "notes")],
    ];
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      XDG_CACHE_HOME: join(home, "xdg"),
      RECOLLECT_DATA_DIR: join(home, "data"),
      RECOLLECT_CACHE_DIR: join(home, "cache"),
      NETWORK_LOG: join(home, "network.log"),
      NO_COLOR: "1",
    };
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
    output = `${stdout}${stderr}`;
    expect(status, output).toBe(0);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("writes nothing but its own folders, and prints nothing of a library's", () => {
    const own = new Set(["cache", "calls.log", "data", "network.log", "notes"]);
    expect(readdirSync(home).filter((name) => !own.has(name))).toEqual([]);
    expect(output).not.toMatch(/telemetry/i);
    expect(output).not.toContain("\u001b");
  });

  test("looks up no name and connects to nobody", () => {
    const lines = networkLog();
    expect(lines).toContain("watching");
    expect(lines.filter((line) => line !== "watching")).toEqual([]);
    if (STRACE === undefined) return;
    const sent = callLog()
      .split("\n")
      .filter((line) => /AF_INET|sendto|sendm/.test(line));
    expect(sent).toEqual([]);
  });
});
