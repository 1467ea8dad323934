import { mkdirSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOn } from "../../support/cli-harness.ts";
import { type ExtraFolder, extraFolder } from "../../support/extra-folder.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

describe("recollect sync without a folder", () => {
  let root: ExtraFolder;
  let app: TestApp;
  beforeAll(async () => {
    root = extraFolder();
    mkdirSync(root.at("notes"));
    app = await startTestApp({ env: { RECOLLECT_EXTRA_PATH_ROOTS: root.path } });
    await app.call("POST", "/v1/agents", { id: "server", settings: { extraPaths: [root.at("notes")] } });
  });
  afterAll(async () => {
    await app.drop();
    root.remove();
  });

  test("has the server sync its folders, waits, and says what it found", async () => {
    root.write("notes/a.md", "A zeppelin");
    const { code, out, err } = await cliOn(app)("sync", "--agent", "server");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("synced · files 1 · chunks 1");
    expect(out).toContain(`${root.at("notes")}  files 1 · skipped 0 · failed 0`);
    expect((await app.search("zeppelin", {}, "server")).results).toHaveLength(1);
    const unwaited = await cliOn(app)("sync", "--agent", "server", "--no-wait", "--json");
    expect(JSON.parse(unwaited.out)).toMatchObject({ agentId: "server", extraPaths: [{ files: 1 }] });
  });

  test("a folder that cannot be read is exit code 1; options of a folder need one", async () => {
    rmSync(root.at("notes"), { recursive: true });
    const { code, out } = await cliOn(app)("sync", "--agent", "server");
    expect([code, out]).toEqual([1, expect.stringContaining("cannot be read")]);
    expect((await cliOn(app)("sync", "--dry-run")).code).toBe(2);
  });

  test("with a folder it leaves those of the server alone", async () => {
    root.write("notes/a.md", "A zeppelin");
    await cliOn(app)("sync", "--agent", "server");
    root.write("mine/b.md", "A balloon");
    const { code, out } = await cliOn(app)("sync", root.at("mine"), "--agent", "server", "--json");
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ sent: 1, removed: 0, failed: [] })]);
    expect((await app.search("zeppelin", {}, "server")).results[0]?.path).toBe(root.at("notes/a.md"));
  });
});
