import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, resolveBinding, sessionKey } from "../../../src/features/routing/resolve-binding.ts";
import { type Binding, parseBinding } from "../../../src/settings/bindings.ts";

const PEER = { kind: "direct", id: "+15550001" };
const MESSAGE: Message = { channel: "whatsapp", accountId: "biz", peer: PEER };

type Match = NonNullable<Binding["match"]>;
const rule = (agentId: string, match: Match) => ({ agentId, match });
const route = (bindings: Binding[], message: Message = MESSAGE) => resolveBinding(bindings, message, "main");

describe("a message goes", () => {
  const channel = rule("by-channel", { channel: "whatsapp" });
  const account = rule("by-account", { channel: "whatsapp", accountId: "biz" });
  const peer = rule("by-peer", { channel: "whatsapp", peer: PEER });

  test("to the rule of its peer, before that of its account, before that of its channel", () => {
    expect(route([channel, account, peer])).toEqual({ agentId: "by-peer", matchedBy: "peer" });
    expect(route([channel, account])).toEqual({ agentId: "by-account", matchedBy: "account" });
    expect(route([channel])).toEqual({ agentId: "by-channel", matchedBy: "channel" });
    expect(route([])).toEqual({ agentId: "main", matchedBy: "default" });
  });

  test("to the first of two equals", () => {
    expect(route([channel, rule("later", { channel: "whatsapp" })]).agentId).toBe("by-channel");
    expect(route([peer, rule("later", { peer: PEER })]).agentId).toBe("by-peer");
  });

  test.each<[string, Match]>([
    ["another channel", { channel: "telegram" }],
    ["another account", { channel: "whatsapp", accountId: "personal" }],
    ["another peer", { channel: "whatsapp", peer: { ...PEER, id: "+15550002" } }],
    ["the same id of another kind", { channel: "whatsapp", peer: { ...PEER, kind: "group" } }],
    ["the peer on another channel", { channel: "telegram", peer: PEER }],
    ["the peer of another account", { accountId: "personal", peer: PEER }],
  ])("to the default agent when the only rule is for %s", (_, match) => {
    expect(route([rule("wrong", match)])).toEqual({ agentId: "main", matchedBy: "default" });
  });

  test("to the default agent when it says nothing of itself", () => {
    const rules = [channel, account, peer, rule("named", { accountId: "biz" })];
    expect(route(rules, {})).toEqual({ agentId: "main", matchedBy: "default" });
  });

  test("to the first rule without a match, if no other is for it", () => {
    const rules = [{ agentId: "door" }, { agentId: "later" }, channel, account, peer];
    expect(route(rules)).toEqual({ agentId: "by-peer", matchedBy: "peer" });
    expect(route(rules, { channel: "irc" })).toEqual({ agentId: "door", matchedBy: "default" });
    expect(route(rules, {})).toEqual({ agentId: "door", matchedBy: "default" });
  });

  test("past the account `*`, which is every account and no more than its channel", () => {
    const any = rule("any", { channel: "whatsapp", accountId: "*" });
    expect(route([any])).toEqual({ agentId: "any", matchedBy: "channel" });
    expect(route([any], { channel: "whatsapp" }).agentId).toBe("any");
    expect(route([any, account]).agentId).toBe("by-account");
    expect(route([any, channel]).agentId).toBe("any");
    expect(route([channel, any]).agentId).toBe("by-channel");
  });

  test("only to a rule of which every field equals its own", () => {
    const word = fc.constantFrom("a", "b");
    const fields = { channel: word, accountId: word, peer: fc.record({ kind: word, id: word }) };
    const match = fc.record(fields, { requiredKeys: [] }).filter((value) => Object.keys(value).length > 0);
    const message = fc.record(fields, { requiredKeys: [] });
    const rank = (one: Match) => (one.peer ? 0 : one.accountId ? 1 : 2);
    fc.assert(
      fc.property(fc.array(match, { maxLength: 6 }), message, (matches, sent) => {
        const bindings = matches.map((one, index) => rule(String(index), one));
        const facts: Record<string, unknown> = { ...sent };
        const fits = bindings.filter(({ match: one }) =>
          Object.entries(one).every(([key, value]) => JSON.stringify(value) === JSON.stringify(facts[key])),
        );
        const best = fits.toSorted((a, b) => rank(a.match) - rank(b.match))[0];
        expect(resolveBinding(bindings, sent, "none").agentId).toBe(best?.agentId ?? "none");
      }),
    );
  });
});

describe("the session's key", () => {
  test.each<[Message, string]>([
    [{}, "agent:work:api:main"],
    [{ channel: "slack" }, "agent:work:slack:main"],
    [MESSAGE, "agent:work:whatsapp:direct:+15550001"],
    [{ peer: PEER }, "agent:work:api:direct:+15550001"],
    [{ ...MESSAGE, context: "thread-9" }, "agent:work:whatsapp:thread-9"],
  ])("%j is %s", (message, key) => {
    expect(sessionKey("work", message)).toBe(key);
  });
});

test("a channel is the same in other letters, and dm is another word for direct", () => {
  const rule = parseBinding({ agentId: "a", match: { channel: "WhatsApp", peer: { kind: "dm", id: "1" } } }, "binding");
  const message = { channel: "whatsapp", peer: { kind: "direct", id: "1" } };
  expect(resolveBinding([rule], message, "main")).toEqual({ agentId: "a", matchedBy: "peer" });
});
