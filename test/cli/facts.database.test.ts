import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOn, type Ran } from "../support/cli-harness.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const FILLING = [
  "harbour",
  "bicycle",
  "kettle",
  "meadow",
  "violin",
  "lantern",
  "quarry",
  "orchard",
  "tunnel",
  "walnut",
];

describe("recollect search and recall with facts", () => {
  let app: SessionApp;
  let cli: (...argv: string[]) => Promise<Ran>;
  beforeAll(async () => {
    app = await startSessionApp();
    cli = cliOn(app);
    await app.talker("main", { sources: ["memory", "sessions", "facts"] });
    const put = FILLING.map((word) => ({ path: `${word}.md`, content: `The ${word} was painted last summer.` }));
    await app.call("POST", "/v1/agents/main/files", { put });
    const said = { role: "user", text: "The zeppelin of Mina lands on Thursday.", at: "2026-03-02T10:00:00Z" };
    await app.append("main", "slack:C1", [said], { capture: false });
    const facts = [
      { text: "Mina lives in Bergen", key: "user.city", validFrom: "2025-05-01T00:00:00Z" },
      { text: "Mina lives in Oslo", key: "user.city", validFrom: "2026-02-01T00:00:00Z" },
    ];
    for (const fact of facts) await app.call("POST", "/v1/agents/main/facts", { facts: [fact] });
    await app.embedded();
  });
  afterAll(() => app.drop());

  test("a fact is shown since when it holds, and what it took the place of", async () => {
    const { code, out } = await cli("search", "where does Mina live? Mina lives in", "--corpus", "facts");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^1\. facts\/\d+ {2}\d\.\d{3} .* since 2026-02-01.*, before: Mina lives in Bergen\n {3}Mina lives in Oslo\n$/m,
    );
    expect(out).not.toContain("sessions/");
  });

  test("a fact may hold since a day that has passed", async () => {
    await cli("facts", "add", "The boiler is new", "--since", "2025-10-01", "--agent", "house");
    const { body } = await app.call<{ facts: object[] }>("GET", "/v1/agents/house/facts");
    expect(body.facts).toMatchObject([{ validFrom: "2025-10-01T00:00:00.000Z" }]);
  });

  test("a fact of another speaker names him, in a search and alone", async () => {
    const said = { role: "user", name: "Ana", text: "I'm allergic to cats.", at: "2026-03-03T10:00:00Z" };
    await app.append("main", "slack:C2", [said]);
    const { out } = await cli("search", "who is allergic to cats?", "--corpus", "facts");
    const [, path = ""] =
      /^1\. (facts\/\d+) .* subject: Ana, since 2026-03-03\n {3}I'm allergic to cats\n$/m.exec(out) ?? [];
    expect(path, out).not.toBe("");
    expect((await cli("get", path)).out).toMatch(/^I'm allergic to cats\n\nsubject: Ana\ncategory: fact\n/);
  });

  test("the other sources stand beside it; of a conversation the day is said", async () => {
    const { out } = await cli("search", "Mina zeppelin lands Thursday");
    expect(out).toMatch(/^1\. sessions\/slack:C1#L1 .* said 2026-03-02$/m);
  });

  test("of messages of several days all days are said, and a hit says which newer one there is", async () => {
    const said = [
      { role: "user", text: "The ferry deadline is 12 May.", at: "2026-03-02T10:00:00Z" },
      { role: "user", text: "The ferry is painted blue.", at: "2026-03-05T10:00:00Z" },
    ];
    await app.append("main", "slack:C4", said, { capture: false });
    await app.append(
      "main",
      "slack:C3",
      [{ role: "user", text: "The ferry deadline is 30 June.", at: "2026-04-02T10:00:00Z" }],
      { capture: false },
    );
    const { out } = await cli("search", "ferry deadline", "--corpus", "sessions", "--timezone", "UTC");
    expect(out).toMatch(/sessions\/slack:C3#L1 .* said 2026-04-02$/m);
    expect(out).toMatch(
      /sessions\/slack:C4#L1-L2 .* said 2026-03-02 to 2026-03-05 {2}older than sessions\/slack:C3#L1$/m,
    );
    expect(out).toContain("   [2026-03-02]\n   user: The ferry deadline is 12 May.\n   [2026-03-05]\n");
  });

  test("recall prints facts, then quotations, and says so when there are none", async () => {
    const { code, out } = await cli("facts", "recall", "Mina lives where? Her zeppelin lands when, on Thursday?");
    expect(code).toBe(0);
    expect(out).toMatch(/^<recalled-memory>\n/);
    expect(out).toMatch(
      /- \(fact, since 1 Feb 2026\) Mina lives in Oslo\n- \(sessions\/slack:C1#L1, 2 Mar 2026\) .*zeppelin/,
    );
    expect((await cli("facts", "recall", "xylophone")).out).toBe("Nothing in memory bears on this message.\n");
  });
});
