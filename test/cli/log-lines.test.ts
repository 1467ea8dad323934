import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { runInContext } from "../../src/base/request-context.ts";
import { logLines } from "../../src/cli/shell/log-lines.ts";
import { runCommand } from "../support/process.ts";

describe("lines of the log on a terminal", () => {
  function log(write: (logger: ReturnType<typeof createLogger>) => void): string {
    let text = "";
    const stderr = { write: (part: string) => (text += part) };
    write(createLogger("debug", logLines(stderr, false)));
    return text;
  }

  test("say what happened and to whom, in words", () => {
    const work = { requestId: "one", tenantId: "two", agentId: "main", statements: 0 };
    const text = log((logger) => {
      runInContext(work, () => logger.warn({ chunks: 2, provider: "openai" }, "the provider refuses texts"));
      logger.error({ err: { type: "Error", code: "57P01", message: "it ended", stack: "at x" } }, "queue error");
      logger.warn({ ignored: ["a.b", "c"], path: "x.yaml" }, "parts of a config file have no effect");
      logger.info({ version: "1" }, "ready");
    });
    expect(text).toBe(
      [
        "warning: the provider refuses texts (agentId main, chunks 2, provider openai)",
        "error: queue error (code 57P01, message it ended)",
        "warning: parts of a config file have no effect (ignored a.b c, path x.yaml)",
        "ready (version 1)\n",
      ].join("\n"),
    );
  });

  test("control nothing in the terminal", () => {
    const text = log((logger) => logger.warn({ path: "a\u001b[31m\nb" }, "odd\u0007"));
    expect(text).toBe("warning: odd\ufffd (path a\ufffd[31m\ufffdb)\n");
  });
});

describe("a command on an embedded database", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "recollect-log-"));
    writeFileSync(join(folder, "note.md"), "# Kiln\n\nThe kiln fires at 1040 degrees.\n");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a command with a provider at a port on which no server listens. */
  async function run(args: string[], more: Record<string, string> = {}) {
    const provider = { RECOLLECT_PROVIDER: "ollama", RECOLLECT_BASE_URL: "http://127.0.0.1:9/v1" };
    const { ended, output } = runCommand(args, { RECOLLECT_DATA_DIR: join(folder, "data"), ...provider, ...more });
    return { code: await ended, ...output() };
  }

  test("tells a warning in words, and nothing when the log is silent", async () => {
    expect(await run(["sync", folder, "--no-wait"])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await run(["search", "kiln"]);
    expect(code).toBe(0);
    expect(stdout).toContain("note.md");
    expect(stderr).toMatch(/^warning: query embedding failed; answering by keyword \(.*provider ollama\)$/m);
    expect(stderr).not.toMatch(/^\s*\{/m);
    const silent = await run(["search", "kiln"], { RECOLLECT_LOG_LEVEL: "silent" });
    expect(silent.code).toBe(0);
    expect(silent.stderr).not.toContain("answering by keyword");
  });
});
