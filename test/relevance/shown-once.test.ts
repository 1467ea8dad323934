import { expect, test } from "vitest";
import { dropRepeated } from "../../src/relevance/ranking/refine.ts";

const piece = (path: string, text: string) => ({ path, startLine: 1, endLine: 1, text });
const isFact = ({ path }: { path: string }) => path.startsWith("facts/");
const paths = (...hits: ReturnType<typeof piece>[]) => dropRepeated(hits, isFact).map(({ path }) => path);

const fact = piece("facts/1", "My name is Petra.");
const said = piece(
  "sessions/monday",
  "user: my name is Petra\nassistant: Hello Petra, and what can I do?\nuser: Nothing yet.",
);

test("a fact that an earlier hit says is left out", () => {
  expect(paths(said, fact)).toEqual(["sessions/monday"]);
});

test("a passage that says more than an earlier fact stays, one that says hardly more does not", () => {
  expect(paths(fact, said)).toEqual(["facts/1", "sessions/monday"]);
  expect(paths(fact, piece("note.md", "My name is Petra, yes."))).toEqual(["facts/1"]);
});

test("words are compared, not their parts, and what a long hit does not show is not said", () => {
  expect(paths(piece("note.md", "my name is Petrarca"), fact)).toEqual(["note.md", "facts/1"]);
  const long = piece("long.md", `${"Other things. ".repeat(60)}My name is Petra.`);
  expect(paths(long, fact)).toEqual(["long.md", "facts/1"]);
});

test("two facts, two passages and texts without words stay", () => {
  expect(paths(fact, piece("facts/2", "My name is Petra."))).toEqual(["facts/1", "facts/2"]);
  expect(paths(said, piece("sessions/tuesday", said.text))).toEqual(["sessions/monday", "sessions/tuesday"]);
  expect(paths(piece("a.md", "…"), piece("facts/3", "!"))).toEqual(["a.md", "facts/3"]);
});
