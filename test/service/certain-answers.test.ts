import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { embedderOpener } from "../../src/wiring/open-embedder.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const WORKSPACE = "examples/workspace";
const SHORT = 160;

/** Returns the Markdown files below a folder. */
function notesIn(folder: string): { path: string; content: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path, content: readFileSync(join(folder, path), "utf8") }));
}

const ANSWERED = [
  ["why did we move the billing job off cron?", "same crontab"],
  ["where is the spare office key?", "grey toolbox"],
  ["which port does the staging proxy use?", "8471"],
  ["when do we never deploy?", "15:00 on a Friday"],
  ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_REFUSED"],
  ["what database do the edge boxes use now?", "Postgres"],
  ["who sends our text messages from October?", "Tallow"],
  ["when is Ingrid's birthday?", "19 August"],
  ["where is the team retreat?", "Lake Ellery"],
  ["which plan costs 99 from September?", "Schooner"],
  ["what does the colour-blind colleague need in charts?", "shapes or labels"],
  ["大阪", "大阪"],
  ["which pizza did people like best?", "artichokes"],
  ["who fixed the flickering lamp?", "Oduya"],
  ["what does Mina dislike?", "comments in chat"],
] as const;
const UNANSWERED = [
  "who likes sushi?",
  "xyzzy",
  "asdfgh qwertz",
  "blorptastic",
  "which car do I drive?",
  "which gym do I go to?",
  "when did we go skiing?",
];

describe("an answer of memory_search says whether anything certain was found", () => {
  let app: TestApp;
  beforeAll(async () => {
    const config = readConfig({ RECOLLECT_PROVIDER: "builtin" });
    app = await startTestApp({ embedders: embedderOpener(config, createLogger("silent")) });
    await app.call("POST", "/v1/agents/main/files", { put: notesIn(WORKSPACE) });
    const facts = ["Our cat is called Minka.", "I moved to Trondheim last week.", "Klaus has a nut allergy."];
    const more = [
      "The boiler was serviced in May.",
      "The roof leaks above the bathroom.",
      "Tomatoes are watered daily.",
    ];
    const all = [
      ...facts,
      ...more,
      "The car needs new brakes.",
      "Oma comes on Saturday.",
      "The rent is due on Monday.",
    ];
    await app.call("POST", "/v1/agents", { id: "numbers" });
    const phone = { text: "I have a new phone number, it's 555 9999." };
    await app.call("POST", "/v1/agents/numbers/facts", { facts: [...all.map((text) => ({ text })), phone] });
    await app.embedded("numbers");
    await app.call("POST", "/v1/agents", { id: "small" });
    await app.call("POST", "/v1/agents/small/facts", { facts: all.map((text) => ({ text })) });
    await app.embedded();
    await app.embedded("small");
    // What chance gives is measured by a job, and the scores change a little with it.
    await app.rested();
  });
  afterAll(() => app.drop());

  test.each(ANSWERED)("%s has an answer, which is shown whole", async (query, answer) => {
    const found = await app.search(query);
    expect(found).not.toHaveProperty("certain");
    expect(found.note).toBeUndefined();
    expect(found.results.map(({ snippet }) => snippet).join("\n")).toContain(answer);
  });

  test.each(UNANSWERED)(
    "%s has none: passages after the three nearest are short, and a note says so",
    async (query) => {
      const found = await app.search(query);
      expect(found.certain).toBe(false);
      expect(found.note).toMatch(/^Nothing certain was found; these are only the nearest passages/);
      expect(found.results.length).toBeGreaterThan(0);
      for (const { snippet, citation } of found.results.slice(3))
        expect(snippet.replace(`\n\nSource: ${citation}`, "").length).toBeLessThanOrEqual(SHORT);
    },
  );

  test.each(["Where does Kim live?", "How tall is Mount Everest?", "Has Beatrix called?"])(
    "%s names somebody of whom the memory has no word, so nothing is certain",
    async (query) => {
      expect((await app.search(query, {}, "small")).certain).toBe(false);
    },
  );

  test("a number of a kind that no text names has no certain answer, however near another number is", async () => {
    const certain = async (query: string) => (await app.search(query, {}, "numbers")).certain;
    expect(await certain("What is my passport number?")).toBe(false);
    expect(await certain("What's the locker code?")).toBe(false);
    for (const query of ["What is my phone number?", "What is my mobile number?", "What's my new number?"])
      expect(await certain(query), query).toBeUndefined();
  });

  test.each([
    ["where do I live?", "I moved to Trondheim"],
    ["who is Klaus?", "Klaus has a nut allergy"],
    ["What is Minka's favourite spot?", "Minka"],
  ])("%s: an answer stays certain, however many hits are asked for", async (query, answer) => {
    const [one, many] = [await app.search(query, { maxResults: 1 }, "small"), await app.search(query, {}, "small")];
    expect(one.results[0]?.snippet).toContain(answer);
    expect(one.certain).toBe(many.certain);
  });

  test("a caller that names a floor gets longer passages, with the same doubt", async () => {
    const found = await app.search("who likes sushi?", { minScore: 0 });
    expect(found.certain).toBe(false);
    expect(found.note).not.toContain("cut short");
    expect(Math.max(...found.results.map(({ snippet }) => snippet.length))).toBeGreaterThan(3 * SHORT);
  });

  test("a question of only common words gets the nearest text rather than none", async () => {
    const found = await app.search("where do I live?", {}, "small");
    expect(found.results[0]?.snippet).toContain("I moved to Trondheim");
  });

  test("in a small memory an unrelated question gets a few hits at most, and a note", async () => {
    const found = await app.search("kubernetes helm", {}, "small");
    expect(found.note).toMatch(/^Nothing (?:certain )?was found/);
    expect(found.results.length).toBeLessThanOrEqual(6);
  });

  test("memory_recall says it too, and a recall that nobody asked for stays silent", async () => {
    const ask = { query: "who likes sushi?" };
    const { body } = await app.call<Record<string, unknown>>("POST", "/v1/agents/main/tools/memory_recall", ask);
    expect(body).toMatchObject({ certain: false, note: expect.stringMatching(/^Nothing certain was found/) });
    const message = { message: "who likes sushi?" };
    const recalled = await app.call<{ block: string }>("POST", "/v1/agents/main/recall", message);
    expect(recalled.body.block).toBe("");
  });
});
