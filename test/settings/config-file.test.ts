import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { parseConfigFile } from "../../src/settings/config-file.ts";

const settings = { query: { maxResults: 9 } };

describe("a file", () => {
  test("may be empty", () => {
    const nothing = { defaults: {}, agents: [], bindings: [], limits: { agent: {}, tenant: {} }, ignored: [] };
    expect(parseConfigFile(null)).toEqual(nothing);
    expect(parseConfigFile(undefined)).toEqual(nothing);
    expect(parseConfigFile({ agents: null, bindings: null, limits: null, memory: null })).toEqual(nothing);
  });

  test("says the same in either form", () => {
    const older = parseConfigFile({
      agents: { defaults: { memorySearch: { model: "m" } }, list: [{ id: "work", name: "W", memorySearch: settings }] },
    });
    const newer = parseConfigFile({
      memory: { search: { model: "m" } },
      agents: { entries: { work: { name: "W", memory: { search: settings } } } },
    });
    expect(newer).toEqual(older);
    expect(older).toMatchObject({
      defaults: { model: "m" },
      agents: [{ id: "work", name: "W", isDefault: false, settings }],
      ignored: [],
    });
  });

  test("has the newer form in the list too, and both kinds of entry side by side", () => {
    const file = parseConfigFile({
      agents: { list: [{ id: "a", memory: { search: settings } }], entries: { b: { default: true } } },
    });
    expect(file.agents.map(({ id, isDefault }) => [id, isDefault])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(file.agents[0]?.settings).toEqual(settings);
  });

  test("lower-cases the agents' ids", () => {
    expect(parseConfigFile({ agents: { list: [{ id: "Work" }] } }).agents[0]?.id).toBe("work");
  });

  test("has limits for one agent and for one tenant", () => {
    const limits = { agent: { files: 5 }, tenant: { agents: 2, bytes: 100 } };
    expect(parseConfigFile({ limits }).limits).toEqual(limits);
    expect(parseConfigFile({ limits: { agent: { files: 5 } } }).limits).toEqual({ agent: { files: 5 }, tenant: {} });
  });

  test("leaves out a rule with a condition we cannot check, and only that rule", () => {
    const file = parseConfigFile({
      bindings: [
        { agentId: "a", match: { channel: "discord", guildId: "1" } },
        { agentId: "b", match: { channel: "msteams", teamId: "1" } },
        { agentId: "c", match: { channel: "discord", roles: ["mod"] } },
        { agentId: "d", match: { channel: "discord" } },
      ],
    });
    expect(file.bindings).toEqual([{ agentId: "d", match: { channel: "discord" } }]);
    const why = "cannot be checked, so the whole binding is left out";
    expect(file.ignored).toEqual([
      { at: "bindings[0].match.guildId", why },
      { at: "bindings[1].match.teamId", why },
      { at: "bindings[2].match.roles", why },
    ]);
  });

  test("has a default route: a rule without a match", () => {
    expect(parseConfigFile({ bindings: [{ agentId: "Door" }] }).bindings).toEqual([{ agentId: "door" }]);
  });

  test("names what it ignores", () => {
    const file = parseConfigFile({
      gateway: { port: 1 },
      memory: { backend: "builtin" },
      agents: { defaults: { workspace: "~" }, list: [{ id: "a", model: "x" }] },
    });
    expect(file.ignored.map(({ at }) => at).toSorted()).toEqual([
      "agents.defaults.workspace",
      "agents.list[0].model",
      "gateway",
      "memory.backend",
    ]);
  });
});

const one = (entry: object) => ({ agents: { list: [{ id: "ok" }, entry] } });

test.each<[string, unknown, string]>([
  ["a list for a file", [], "must be an object"],
  ["a text for a file", "agents", "must be an object"],
  ["a list for agents", { agents: [] }, "agents: "],
  ["an object for the agents' list", { agents: { list: {} } }, "agents.list: "],
  ["a list for the entries", { agents: { entries: [] } }, "agents.entries: "],
  ["an agent that is a text", { agents: { list: ["main"] } }, "agents.list[0]: "],
  [
    "a setting out of range",
    { agents: { defaults: { memorySearch: { query: { maxResults: 101 } } } } },
    "agents.defaults.memorySearch.query.maxResults",
  ],
  ["a setting of the newer form", { memory: { search: { querry: {} } } }, "memory.search.querry"],
  ["a setting of a listed agent", one({ id: "a", memorySearch: { model: 1 } }), "agents.list[1].memorySearch.model"],
  [
    "a setting of an entry",
    { agents: { entries: { a: { memory: { search: { model: 1 } } } } } },
    "agents.entries.a.memory.search.model",
  ],
  ["an agent without an id", one({ name: "x" }), "agents.list[1].id"],
  ["an id that is none", one({ id: "../etc" }), "agents.list[1].id"],
  ["an id of 64 characters", one({ id: "a".repeat(64) }), "agents.list[1].id"],
  ["an entry whose id is none", { agents: { entries: { "a b": {} } } }, "agents.entries.a b"],
  ["a name that is no text", one({ id: "a", name: 1 }), "agents.list[1].name"],
  ["a default that is no boolean", one({ id: "a", default: "yes" }), "agents.list[1].default"],
  ["an agent twice", one({ id: "OK" }), "'ok'"],
  ["an agent in the list and the entries", { agents: { list: [{ id: "a" }], entries: { a: {} } } }, "'a'"],
  ["two defaults", { agents: { list: [{ id: "a", default: true }], entries: { b: { default: true } } } }, "default"],
  [
    "the defaults in both forms",
    { memory: { search: {} }, agents: { defaults: { memorySearch: {} } } },
    "agents.defaults.memorySearch",
  ],
  [
    "an agent's settings in both forms",
    one({ id: "a", memorySearch: {}, memory: { search: {} } }),
    "agents.list[1].memorySearch",
  ],
  ["a misspelt section", { agent: {} }, "agent: "],
  ["a misspelt key of an agent", one({ id: "a", memorysearch: {} }), "agents.list[1].memorysearch"],
  ["a misspelt key of the defaults", { agents: { defaults: { memory_search: {} } } }, "agents.defaults.memory_search"],
  ["an unknown limit", { limits: { agent: { agents: 1 } } }, "limits.agent.agents"],
  ["limits of somebody else", { limits: { key: {} } }, "limits.key"],
  ["a negative limit", { limits: { tenant: { files: -1 } } }, "limits.tenant.files"],
  ["a rule with an empty match", { bindings: [{ agentId: "a", match: {} }] }, "bindings[0].match"],
  [
    "a rule with an unknown condition",
    { bindings: [{ agentId: "a", match: { channel: "x", server: "1" } }] },
    "bindings[0].match.server",
  ],
  [
    "a bad rule after one left out",
    { bindings: [{ agentId: "a", match: { channel: "x", guildId: "1" } }, { match: { channel: "x" } }] },
    "bindings[1].agentId",
  ],
  ["bindings that are no list", { bindings: {} }, "bindings: "],
  [
    "more rules than 1,000",
    { bindings: Array.from({ length: 1001 }, () => ({ agentId: "a", match: { channel: "x" } })) },
    "bindings: ",
  ],
])("%s is refused by its path", (_, value, path) => {
  let refused: unknown;
  try {
    parseConfigFile(value);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(AppError);
  expect((refused as AppError).code).toBe("invalid_settings");
  expect((refused as AppError).message).toContain(path);
});

test("a key __proto__ is a key like any other and changes no prototype", () => {
  expect(() => parseConfigFile(JSON.parse('{"agents":{"entries":{"__proto__":{"default":true}}}}'))).toThrow(AppError);
  parseConfigFile(JSON.parse('{"__proto__":{"polluted":1}}'));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
