import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

describe("a search for a value that has changed", () => {
  let app: SessionApp;
  const say = (session: string, day: string, content: string) =>
    app.append("home", session, [{ text: content, at: `${day}T09:00:00Z` }]);
  const ask = async (query: string, more: Record<string, unknown> = {}) => {
    const { results } = await app.search(query, more, "home");
    return results;
  };

  beforeAll(async () => {
    app = await startSessionApp();
    await say("s1", "2026-03-02", "The rent of the workshop is 900 a month, heating included.");
    await say("s2", "2026-05-04", "The landlord wrote: the rent of the workshop is 980 a month now.");
    await say("s3", "2026-04-01", "Somebody painted the fence of the workshop in lavender.");
    for (const [i, word] of ["umbrella", "canteen", "printer", "trams", "bees", "invoice", "yoga", "parcel"].entries())
      await say(`x${i}`, "2026-02-01", `Something about the ${word} that we talked of.`);
    await app.synced("home");
  });

  afterAll(() => app.drop());

  test("shows the newest value first, and says of the old one which is newer", async () => {
    const [first, second] = await ask("What is the rent of the workshop?");
    expect(first).toMatchObject({ path: "sessions/s2" });
    expect(first?.olderThan).toBeUndefined();
    expect(second).toMatchObject({ path: "sessions/s1", olderThan: expect.stringMatching(/^sessions\/s2#L\d+/) });
  });

  test("leaves the order alone when the question is about the past, or names a moment", async () => {
    const past = await ask("What was the rent of the workshop before?");
    expect(past.every(({ olderThan }) => olderThan === undefined)).toBe(true);
    const then = await ask("What is the rent of the workshop?", { asOf: "2026-04-10T00:00:00Z" });
    expect(then[0]?.path).toBe("sessions/s1");
    expect(then.every(({ olderThan }) => olderThan === undefined)).toBe(true);
  });
});
