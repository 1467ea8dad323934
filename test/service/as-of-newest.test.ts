import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

describe("what was true at a time", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
    const said = [
      ["a", "2026-01-05", "I live in Graz."],
      ["b", "2026-05-05", "I moved to Oslo."],
      ["c", "2026-09-05", "I moved to Rome."],
      ["d", "2026-10-20", "Bought a kayak."],
    ] as const;
    for (const [session, day, text] of said) await app.append("home", session, [{ text, at: `${day}T10:00:00Z` }]);
    await app.synced("home");
  });
  afterAll(() => app.drop());

  test.each([
    ["2026-02-01T00:00:00Z", "Graz"],
    ["2026-07-01T00:00:00Z", "Oslo"],
    ["2026-10-01T00:00:00Z", "Rome"],
    [undefined, "Rome"],
  ])("leads a search as of %s: %s", async (asOf, town) => {
    const { results } = await app.search("Where do I live?", asOf === undefined ? {} : { asOf }, "home");
    expect(results[0]?.snippet).toContain(town);
    expect(results[0]?.olderThan).toBeUndefined();
  });

  test("a text of the day that a question names is certain", async () => {
    const found = await app.search("What did I buy on 20 October 2026?", {}, "home");
    expect(found).not.toHaveProperty("certain");
    expect(found.results.map(({ snippet }) => snippet).join()).toContain("kayak");
  });
});
