import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { parseBindings } from "../../src/settings/bindings.ts";

describe("a list of bindings", () => {
  const parse = (value: unknown) => parseBindings(value, "bindings");

  test("keeps its order and lower-cases the ids", () => {
    const match = { channel: "x" };
    expect(
      parse([
        { agentId: "Work", match },
        { agentId: "home", match },
      ]).map((one) => one.agentId),
    ).toEqual(["work", "home"]);
  });

  const ok = { channel: "x" };
  test.each<[string, unknown, string]>([
    ["no list", {}, "bindings"],
    ["a rule without an agent", [{ match: ok }], "bindings[0].agentId"],
    ["an agent id that is none", [{ agentId: "../x", match: ok }], "bindings[0].agentId"],
    [
      "an empty match",
      [
        { agentId: "a", match: ok },
        { agentId: "a", match: {} },
      ],
      "bindings[1].match",
    ],
    ["an empty channel", [{ agentId: "a", match: { channel: "" } }], "bindings[0].match.channel"],
    [
      "a channel of 201 characters",
      [{ agentId: "a", match: { channel: "x".repeat(201) } }],
      "bindings[0].match.channel",
    ],
    ["a control character", [{ agentId: "a", match: { accountId: "a\nb" } }], "bindings[0].match.accountId"],
    ["a delete character", [{ agentId: "a", match: { accountId: "a\u007fb" } }], "bindings[0].match.accountId"],
    ["a peer without an id", [{ agentId: "a", match: { peer: { kind: "direct" } } }], "bindings[0].match.peer.id"],
    ["a condition we do not know", [{ agentId: "a", match: { ...ok, guild: "1" } }], "bindings[0].match.guild"],
    ["a key we do not know", [{ agentId: "a", match: ok, priority: 1 }], "bindings[0].priority"],
  ])("%s is refused by its path", (_, value, path) => {
    expect(() => parse(value)).toThrow(AppError);
    expect(() => parse(value)).toThrow(path);
  });

  test("has at most 1,000 rules", () => {
    const rules = (count: number) => Array.from({ length: count }, () => ({ agentId: "a", match: ok }));
    expect(parse(rules(1000))).toHaveLength(1000);
    expect(() => parse(rules(1001))).toThrow(AppError);
  });

  test("takes labels of 200 characters in any script", () => {
    const accountId = "漢".repeat(200);
    expect(parse([{ agentId: "a", match: { accountId } }])[0]?.match?.accountId).toBe(accountId);
  });
});
