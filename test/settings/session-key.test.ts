import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkMemoryPath,
  isReservedPath,
  parseSessionKey,
  sessionOfPath,
  sessionPath,
  wholeSessionKey,
} from "../../src/settings/memory-path.ts";

describe("session keys", () => {
  test.each([
    ["slack:C042", "slack:C042"],
    ["agent:main:slack:C042", "slack:C042"],
    ["telegram:direct:@ann", "telegram:direct:@ann"],
    ["xmpp:room@host/desk", "xmpp:room@host/desk"],
    ["agent:main:agent:x", "agent:x"],
    ["agent:other:slack:C042", "agent:other:slack:C042"],
    ["agent:main:agent:other:slack:C042", "agent:other:slack:C042"],
    ["agent::slack:C042", "agent::slack:C042"],
    ["a%3Ab:c", "a%3Ab:c"],
    ["web:caf\u0065\u0301", "web:café"],
    ["web:会话", "web:会话"],
    ["session_1", "session_1"],
    ["agent:main:session_1", "session_1"],
    ["Tuesday's stand-up, 10 o'clock", "Tuesday's stand-up, 10 o'clock"],
    ["0d9c3b5e-6d0a-4c3e-9f3e-1f2a3b4c5d6e", "0d9c3b5e-6d0a-4c3e-9f3e-1f2a3b4c5d6e"],
    ["会".repeat(200), "会".repeat(200)],
    ["👪".repeat(200), "👪".repeat(200)],
    // Longer than 200, such as a transcript deep in a folder: such a key remains valid.
    [`transcript:${"folder/".repeat(40)}x`, `transcript:${"folder/".repeat(40)}x`],
  ])("%s names %s", (text, name) => {
    expect(parseSessionKey("main", text)).toBe(name);
    expect(sessionPath(name)).toBe(`sessions/${name}`);
    expect(sessionOfPath(sessionPath(name))).toBe(name);
    expect(parseSessionKey("main", wholeSessionKey("main", name))).toBe(name);
  });

  test.each([
    ["a:b\\c", "sessions/%:a:b%5Cc"],
    ["a:b//c", "sessions/%:a:b%2F%2Fc"],
    ["../x:y", "sessions/%:..%2Fx:y"],
    ["/etc/passwd", "sessions/%:%2Fetc%2Fpasswd"],
    ["a/", "sessions/%:a%2F"],
    ["100 %//", "sessions/%:100 %25%2F%2F"],
    ["%:a", "sessions/%:%25:a"],
    ["https://example.com/chat?id=7", "sessions/%:https:%2F%2Fexample.com%2Fchat?id=7"],
  ])("%s, which is no path, stands at %s", (name, path) => {
    expect(parseSessionKey("main", name)).toBe(name);
    expect(sessionPath(name)).toBe(path);
    expect(sessionOfPath(path)).toBe(name);
    expect(isReservedPath(path)).toBe(true);
    expect(checkMemoryPath(path)).toBe(path);
  });

  test.each([
    "",
    " ",
    ".",
    "..",
    "agent:main:",
    "a:b\u0000c",
    "a:b\nc",
    "a\u2028b",
    "a\u007fb",
    "a\ud800",
    "x".repeat(201),
    "👪".repeat(201),
    `a:${"x".repeat(300)}`,
  ])("%j is no session of the agent main", (text) => {
    expect(() => parseSessionKey("main", text)).toThrow(expect.objectContaining({ code: "invalid_session_key" }));
  });

  test.each(["notes/a:b.md", "sessions", "sessions/", "my/sessions/a:b", "sessions/%:a", "sessions/a//b"])(
    "%s is no session's path",
    (path) => expect(sessionOfPath(path)).toBeUndefined(),
  );

  test("paths of channels are kept for sessions, others below sessions/ are not", () => {
    for (const path of ["sessions/slack:C042", "sessions/%:a%2F", "sessions/a/b:c"])
      expect(isReservedPath(path), path).toBe(true);
    for (const path of ["sessions/2026-05-18.md", "sessions/a:", "notes/a:b.md"])
      expect(isReservedPath(path), path).toBe(false);
  });

  test("property: two names never have one path, and a path leads back to its name", () => {
    const part = fc.constantFrom("%", "%:", ":", "/", "\\", ".", "..", "%2F", "%25", "a", "é", " ");
    const name = fc
      .array(part, { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(""))
      .filter((text) => text.trim() !== "" && ![".", ".."].includes(text));
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(sessionOfPath(sessionPath(one))).toBe(one);
        if (one !== other) expect(sessionPath(one)).not.toBe(sessionPath(other));
      }),
      { numRuns: 2000 },
    );
  });
});
