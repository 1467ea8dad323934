import { expect, test } from "vitest";
import { parseConfigFile } from "../../src/agents/config-file.ts";

test.each([
  [{ store: { driver: "sqlite" } }, "store"],
  [{ experimental: { sessionMemory: true } }, "experimental"],
  [{ multimodal: { enabled: true } }, "multimodal"],
  [{ qmd: { extraCollections: [] } }, "qmd"],
  [{ rememberAcrossConversations: true }, "rememberAcrossConversations"],
  [{ inputType: "query" }, "inputType"],
  [{ dimensions: 512 }, "dimensions"],
  [{ local: { modelCacheDir: "~/m" } }, "local.modelCacheDir"],
  [{ remote: { batch: { wait: true } } }, "remote.batch.wait"],
])("OpenClaw's %j is left out and named", (memorySearch, key) => {
  const file = parseConfigFile({ agents: { defaults: { memorySearch: { ...memorySearch, model: "m" } } } });
  expect(file.defaults.model).toBe("m");
  expect(file.ignored).toEqual([`agents.defaults.memorySearch.${key}`]);
});

test("what lies beside such a key stays", () => {
  const memorySearch = { remote: { baseUrl: "http://h", batch: { wait: true, concurrency: 3 } } };
  const { defaults } = parseConfigFile({ agents: { defaults: { memorySearch } } });
  expect(defaults).toEqual({ remote: { baseUrl: "http://h", batch: { concurrency: 3 } } });
});
