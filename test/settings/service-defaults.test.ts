import { expect, test } from "vitest";
import { parseConfigFile } from "../../src/settings/config-file.ts";
import { layersOf, serviceDefaults } from "../../src/settings/service-defaults.ts";
import { resolveSettings } from "../../src/settings/settings.ts";
import type { SettingsPatch } from "../../src/settings/settings-schema.ts";

const asking = (maxResults: number): SettingsPatch => ({ query: { maxResults } });
const file = (defaults: SettingsPatch | undefined, work: SettingsPatch | undefined) =>
  parseConfigFile({ agents: { defaults: { memorySearch: defaults }, list: [{ id: "work", memorySearch: work }] } });

/**
 * Returns the value in effect for the agent `work` of the default tenant, and the layer that it
 * comes from.
 */
function effective(
  files: { origin: string; file: ReturnType<typeof file> }[],
  tenantSettings: SettingsPatch = {},
  agentSettings: SettingsPatch = {},
  agentId: string | undefined = "work",
) {
  const layers = layersOf(serviceDefaults(files), { agentId, tenantSettings, agentSettings });
  const { settings, origins } = resolveSettings(layers);
  return [settings.query.maxResults, origins["query.maxResults"]];
}

test("what a file says of one agent is stronger than what holds for all: the tenant's settings, and other files' defaults", () => {
  const user = { origin: "user", file: file(asking(1), asking(2)) };
  const workspace = { origin: "workspace", file: file(asking(3), undefined) };
  expect(effective([user])).toEqual([2, "user"]);
  expect(effective([user], asking(4))).toEqual([2, "user"]);
  expect(effective([user, workspace])).toEqual([2, "user"]);
  expect(effective([user, workspace], asking(4))).toEqual([2, "user"]);
});

test("it is weaker than a stronger file's word on the same agent, and than the agent's own settings", () => {
  const user = { origin: "user", file: file(asking(1), asking(2)) };
  const workspace = { origin: "workspace", file: file(undefined, asking(3)) };
  expect(effective([user, workspace], asking(4))).toEqual([3, "workspace"]);
  expect(effective([user, workspace], asking(4), asking(5))).toEqual([5, "agent"]);
});

test("other agents have the tenant's settings over those of all files", () => {
  const user = { origin: "user", file: file(asking(1), asking(2)) };
  expect(effective([user], asking(4), {}, "other")).toEqual([4, "tenant"]);
  // For an agent of another tenant, only the defaults in the files count, because the agents that
  // files name belong to the default tenant.
  const layers = layersOf(serviceDefaults([user]), { agentId: undefined, tenantSettings: {}, agentSettings: {} });
  expect(resolveSettings(layers).settings.query.maxResults).toBe(1);
});

test("an agent has the name that the strongest file gives it", () => {
  const named = (name: string | undefined) =>
    parseConfigFile({ agents: { list: [{ id: "work", ...(name === undefined ? {} : { name }) }] } });
  const { agentNames } = serviceDefaults([
    { origin: "user", file: named("Office") },
    { origin: "workspace", file: named("Bureau") },
    { origin: "later", file: named(undefined) },
  ]);
  expect([...agentNames]).toEqual([["work", "Bureau"]]);
});
