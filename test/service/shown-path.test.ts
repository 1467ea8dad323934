import { expect, test } from "vitest";
import { placesOf } from "../../src/service/search/shown-path.ts";

test.each([
  ["[[notes/kettle]]", "notes/kettle.md"],
  ["[[notes/kettle.md]]", "notes/kettle.md"],
  ["[[notes/kettle#The lid|kettle]]", "notes/kettle.md"],
  ["![[notes/kettle.md]]", "notes/kettle.md"],
  ["[the kettle](notes/kettle.md)", "notes/kettle.md"],
  ["[the kettle](./notes/kettle.md)", "notes/kettle.md"],
  ["notes\\kettle.md", "notes/kettle.md"],
  [".\\notes\\kettle.md", "notes/kettle.md"],
  ["file:///notes/kettle.md", "notes/kettle.md"],
  ["file://notes/kettle.md", "notes/kettle.md"],
  ["notes/kettle", "notes/kettle.md"],
  ["`notes/kettle.md`", "notes/kettle.md"],
  ["FACTS/12", "facts/12"],
  ["Sessions/Group", "sessions/Group"],
  ["Sessions/Group", "sessions/group"],
  ["sessions/Group", "sessions/group"],
  ["monday", "sessions/monday"],
  ["session/monday", "sessions/monday"],
  ["sessions/monday.md", "sessions/monday"],
  ["fact 12", "facts/12"],
  ["facts #12", "facts/12"],
  ["Fact:12", "facts/12"],
])("%s is tried as it is, and as the path that it shows", (given, path) => {
  expect(placesOf("main", given).map((place) => place.path)).toContain(path);
});

test.each(["sessions/a6 (lines 1-3)", "sessions/a6, lines 1-3", "sessions/a6 lines 1 to 3"])("%s", (given) => {
  expect(placesOf("main", given)).toContainEqual({ path: "sessions/a6", from: 1, lines: 3 });
});

test("a link to lines names them, and a file that has such a name comes first", () => {
  expect(placesOf("main", "[[notes/kettle.md#L4-L9]]")).toContainEqual({ path: "notes/kettle.md", from: 4, lines: 6 });
  expect(placesOf("main", "[[a]]")[0]).toEqual({ path: "[[a]]" });
});

test("a long text takes time in proportion to its length", () => {
  const before = performance.now();
  for (const text of ["[".repeat(2000), `[[${"a|".repeat(1000)}`, `[${"a".repeat(2000)}](`, "\\".repeat(2000)])
    placesOf("main", text);
  expect(performance.now() - before).toBeLessThan(200);
});
