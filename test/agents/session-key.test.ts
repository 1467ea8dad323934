import { describe, expect, test } from "vitest";
import { parseSessionKey, sessionOfPath, sessionPath, wholeSessionKey } from "../../src/agents/session-key.ts";

describe("session keys", () => {
  test.each([
    ["slack:C042", "slack:C042"],
    ["agent:main:slack:C042", "slack:C042"],
    ["telegram:direct:@ann", "telegram:direct:@ann"],
    ["xmpp:room@host/desk", "xmpp:room@host/desk"],
    ["agent:main:agent:x", "agent:x"],
    ["a%3Ab:c", "a%3Ab:c"],
    ["web:caf\u0065\u0301", "web:café"],
    ["web:会话", "web:会话"],
  ])("%s names %s", (text, name) => {
    expect(parseSessionKey("main", text)).toBe(name);
    expect(sessionOfPath(sessionPath(name))).toBe(name);
    expect(parseSessionKey("main", wholeSessionKey("main", name))).toBe(name);
  });

  test.each([
    "",
    "slack",
    ":x",
    "slack:",
    "agent:other:slack:C042",
    "agent:main:slack",
    "agent::slack:C042",
    "a:b\u0000c",
    "a:b\nc",
    "a:b\\c",
    "a:b//c",
    "a:b/../c",
    "../x:y",
    "a:b/",
    `a:${"x".repeat(300)}`,
  ])("%j is no session of the agent main", (text) => {
    expect(() => parseSessionKey("main", text)).toThrow(expect.objectContaining({ code: "invalid_session_key" }));
  });

  test.each(["sessions/2026-05-18.md", "notes/a:b.md", "sessions", "sessions/", "my/sessions/a:b", "sessions/a:"])(
    "%s is a file's path",
    (path) => expect(sessionOfPath(path)).toBeUndefined(),
  );
});
