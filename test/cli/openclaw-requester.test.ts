import { describe, expect, test } from "vitest";
import {
  type RequesterOptions,
  requesterOf,
  type SessionEntry,
  sees,
} from "../../src/cli/sessions/openclaw-requester.ts";

const knowing = (...entries: SessionEntry[]): RequesterOptions => ({
  user: "owner",
  mainKey: "main",
  entryOf: (key) => entries.find(({ sessionKey }) => sessionKey === key),
});
const nobody = knowing();

describe("the people in a conversation of OpenClaw", () => {
  test.each([
    ["agent:main:main", "owner"],
    ["agent:work:main", "owner"],
    ["main", "owner"],
    ["agent:main:incident-42", "owner"],
    ["agent:main:telegram:direct:77", "person"],
    ["agent:main:direct:77", "person"],
    ["agent:main:whatsapp:business:direct:+15550001", "person"],
    ["agent:main:slack:dm:U1:thread:1700", "person"],
    ["agent:main:telegram:group:-100", "shared"],
    ["agent:main:telegram:group:-100:topic:7", "shared"],
    ["agent:main:discord:channel:9", "shared"],
    ["agent:main:matrix:room:!a:example.org", "shared"],
    ["agent:support:agent:main:telegram:group:-100", "shared"],
    ["agent:main:hook:gmail:1", "shared"],
    ["agent:main:explicit:9f", "shared"],
    ["agent:main:newchannel:something:5", "shared"],
    ["agent:main:cron:7", "internal"],
    ["agent:main:heartbeat", "internal"],
    ["agent:main:cron:7:direct:5", "internal"],
    ["agent:main:subagent:1", "shared"],
    ["", "shared"],
    ["agent:main:global", "shared"],
    ["global", "shared"],
    ["unknown", "shared"],
    ["agent:main:telegram:77", "shared"],
    [undefined, "shared"],
  ])("%s: %s", (key, audience) => {
    expect(requesterOf(key, nobody).audience).toBe(audience);
  });

  test("OpenClaw's entry counts more than the key", () => {
    const key = "agent:main:explicit:9f";
    expect(requesterOf(key, knowing({ sessionKey: key, chatType: "direct" })).audience).toBe("owner");
    expect(requesterOf(key, knowing({ sessionKey: key, chatType: "group" })).audience).toBe("shared");
    const main = { sessionKey: "agent:main:main", chatType: "group" };
    expect(requesterOf(main.sessionKey, knowing(main)).audience).toBe("shared");
  });

  test.each([
    "agent:main:telegram:77",
    "agent:main:newchannel:private:77",
    "agent:main:sms:+15550001",
    "agent:main:acp:binding:telegram:default:9f",
    "agent:main:voice:call:5",
    "agent:main:explicit:9f:telegram:77",
    "agent:main:global",
  ])("a private conversation under a key of unknown form sees only itself: %s", (key) => {
    const options = knowing({ sessionKey: key, chatType: "direct" });
    const requester = requesterOf(key, options);
    expect([requester.audience, requester.isKept]).toEqual(["shared", true]);
    expect(sees(requester, "agent:main:main", options)).toBe(false);
    expect(sees(requester, "agent:main:telegram:direct:78", options)).toBe(false);
    expect(sees(requester, key, options)).toBe(true);
    expect(sees(requesterOf("agent:main:telegram:direct:78", options), key, options)).toBe(false);
  });

  test.each(["explicit:9f", "dashboard:6db92d48", "tui:1", "webchat:1"])(
    "a conversation in a program of OpenClaw's is the owner's, if its entry says that it is private: %s",
    (name) => {
      const key = `agent:main:${name}`;
      expect(requesterOf(key, knowing({ sessionKey: key, chatType: "direct" })).audience).toBe("owner");
      expect(requesterOf(key, nobody).audience).toBe("shared");
    },
  );

  test("another main key", () => {
    const options = { ...nobody, mainKey: "home:main" };
    expect(requesterOf("agent:main:home:main", options).audience).toBe("owner");
  });
});

describe("what a session sees", () => {
  const GROUP = "agent:main:telegram:group:-100";
  const ANA = "agent:main:telegram:direct:77";
  const keys = ["agent:main:main", ANA, "agent:main:telegram:direct:78", GROUP, "agent:main:telegram:group:-200"];
  const seen = (key: string, options = nobody) =>
    keys.filter((other) => sees(requesterOf(key, options), other, options));

  test("the owner everything, all others their own", () => {
    expect(seen("agent:main:main")).toEqual(keys);
    expect(seen(ANA)).toEqual([ANA]);
    expect(seen(`${ANA}:thread:5`)).toEqual([ANA]);
    expect(seen(GROUP)).toEqual([GROUP]);
    expect(seen("agent:main:hook:gmail:1")).toEqual([]);
  });

  test.each([
    "cron",
    "heartbeat",
    "node",
    "dreaming",
    "active-memory",
    "commitments",
    "cron:7",
    "node:thread:5",
    "7:heartbeat",
  ])(
    "a person whose name on a network is a word of OpenClaw, or whose conversation a program enters, only their own: %s",
    (name) => {
      const key = `agent:main:irc:direct:${name}`;
      const requester = requesterOf(key, nobody);
      expect(requester.audience).toBe("person");
      expect(requester.reads).toEqual(requester.writes);
      expect(seen(key)).toEqual([]);
    },
  );

  test("the heartbeat of a private conversation sees the same as the conversation, and is not kept", () => {
    expect(seen(`${ANA}:heartbeat`)).toEqual([ANA]);
    expect(requesterOf(`${ANA}:heartbeat`, nobody).isKept).toBe(false);
    expect(requesterOf("agent:main:irc:direct:heartbeat", nobody).isKept).toBe(true);
  });

  test("a subagent the same as the session that began it, over several steps, and it is not kept", () => {
    const [one, two] = ["agent:main:subagent:1", "agent:main:subagent:2"];
    const of = (root: string) => knowing({ sessionKey: one, spawnedBy: root }, { sessionKey: two, spawnedBy: one });
    expect(seen(two, of(GROUP))).toEqual([GROUP]);
    expect(seen(two, of("agent:main:main"))).toEqual(keys);
    expect(requesterOf(two, of(GROUP)).isKept).toBe(false);
    const endless = knowing({ sessionKey: one, spawnedBy: two }, { sessionKey: two, spawnedBy: one });
    expect(requesterOf(one, endless).audience).toBe("shared");
  });

  test("only conversations of people are kept", () => {
    const kept = [...keys, "agent:main:cron:7", "agent:main:hook:gmail:1", "agent:main:subagent:1"].filter(
      (key) => requesterOf(key, nobody).isKept,
    );
    expect(kept).toEqual(keys);
  });
});
