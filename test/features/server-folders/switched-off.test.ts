import { expect, test } from "vitest";
import type { AgentStatus } from "../../../src/service/admin/agent-status.ts";
import { extraFolder, syncNow } from "../../support/extra-folder.ts";
import { ALL_FEATURES, startTestApp } from "../../support/test-app.ts";

test("with folders of the server switched off the status says so, and files that were read stay", async () => {
  const root = extraFolder();
  const env = { RECOLLECT_EXTRA_PATH_ROOTS: root.path };
  const all = await startTestApp({ worker: false, env: { ...env, ...ALL_FEATURES } });
  const off = await startTestApp({ on: all, worker: false, env: { ...env, RECOLLECT_FEATURES: "-server-folders" } });
  const settings = { extraPaths: [{ path: root.path, pattern: "*.md" }] };
  await all.call("POST", "/v1/agents", { id: "reader", settings });
  root.write("a.md", "A zeppelin leaves.");
  await syncNow(all.runtime.deps, "reader");
  root.write("a.md", "A balloon leaves.");
  root.write("b.md", "A balloon lands.");
  await syncNow(off.runtime.deps, "reader");
  const { body } = await off.call<AgentStatus>("GET", "/v1/agents/reader/status");
  expect(body.extraPaths).toEqual([
    {
      path: root.path,
      pattern: "*.md",
      files: 0,
      skipped: 0,
      failed: 0,
      lastSyncAt: null,
      error: expect.stringContaining("Folders of the server are switched off"),
    },
  ]);
  expect((await off.search("zeppelin", {}, "reader")).results[0]?.path).toBe(root.at("a.md"));
  expect((await off.search("balloon", {}, "reader")).results).toEqual([]);
  await syncNow(all.runtime.deps, "reader");
  expect((await all.search("balloon", {}, "reader")).results).toHaveLength(2);
  await off.drop();
  await all.drop();
  root.remove();
});
