import { afterAll, expect, test } from "vitest";
import { createLogger } from "../../../src/base/logger.ts";
import { READ_TURN } from "../../../src/features/capture/read-turn.ts";
import { startFilePreparer } from "../../../src/service/files/prepare-file.ts";

const preparer = startFilePreparer({ threads: 1, logger: createLogger("silent") });
afterAll(() => preparer.close());

test("a turn is read in the same way in a thread and on the event loop", async () => {
  const turn = { messages: [{ role: "user", text: "I live in Oslo. `I live in Rome.`" }] };
  const here = READ_TURN.run(turn);
  expect(here.candidates.map(({ text }) => text)).toEqual(["I live in Oslo"]);
  // The rules are not compiled in this thread yet, so a thread reads the first turn.
  expect(await preparer.run("a", READ_TURN, turn)).toEqual(here);
});

test("a turn that takes too long states nothing, and none of its words are the user's", () => {
  const messages = [{ role: "user", text: "I live in Oslo." }];
  expect(READ_TURN.instead({ messages })).toEqual({ candidates: [], changes: [], own: [""] });
});
