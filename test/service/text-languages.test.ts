import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { type ArchiveApp, startArchiveApp } from "../support/archive-app.ts";
import { until } from "../support/until.ts";

const GERMAN = [
  "Der Vertrag mit dem Händler ist unterschrieben, die Rechnung liegt noch beim Steuerberater.",
  "Am Dienstag kommen die Handwerker wegen der undichten Fenster im oberen Stockwerk.",
  "Die Katze braucht ihre Tabletten morgens und abends, immer zusammen mit dem Futter.",
];
const ENGLISH = [
  "The contract with the dealer has been signed, the accountant still has the invoice.",
  "The workers come on Tuesday because of the leaking windows on the upper floor.",
  "The cat needs her pills in the morning and in the evening, always with her food.",
];

let app: ArchiveApp;
beforeAll(async () => {
  app = await startArchiveApp({ embedder: undefined });
});
afterAll(() => app.drop());

const statusOf = async (agent: string) => (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;
const languagesOf = async (agent: string) => (await statusOf(agent)).keyword.languages;
const pathsOf = async (query: string, agent: string) =>
  (await app.search(query, {}, agent)).results.map((hit) => hit.path);
const write = async (agent: string, notes: readonly string[], prefix = "n") => {
  for (const [n, note] of notes.entries()) await app.put(`${prefix}${n}.md`, note, agent);
};

describe("with nothing configured", () => {
  test("files, messages and facts in other languages than English are found by other forms of their words", async () => {
    await write("mixed", [...GERMAN.slice(0, 1), ...ENGLISH.slice(1)]);
    await app.call("POST", "/v1/agents/mixed/sessions/chat:1/messages", {
      messages: [
        { role: "user", content: "Les chevaux de la voisine sont encore dans le jardin, il faut réparer la clôture." },
        { role: "assistant", content: "D'accord, je note qu'il faut réparer la clôture du jardin cette semaine." },
      ],
    });
    await app.call("POST", "/v1/agents/mixed/facts", {
      facts: [{ text: "Мы переехали в новую квартиру на улице Садовой в прошлом году." }],
    });
    expect((await pathsOf("Rechnungen", "mixed"))[0]).toBe("n0.md");
    expect((await pathsOf("a window leaks", "mixed"))[0]).toBe("n1.md");
    expect((await pathsOf("réparations du cheval", "mixed"))[0]).toBe("sessions/chat:1");
    expect((await pathsOf("квартиры", "mixed"))[0]).toMatch(/^facts\//);
    expect(new Set(await languagesOf("mixed"))).toEqual(new Set(["german", "english", "french", "russian"]));
    expect((await statusOf("mixed")).keyword.language).toBe("auto");
  });

  test("a short note is in the language of the others", async () => {
    await write("short", GERMAN);
    await app.put("short.md", "Milch, Käse, Äpfel", "short");
    expect(await languagesOf("short")).toEqual(["german"]);
    expect((await pathsOf("Apfel", "short"))[0]).toBe("short.md");
  });

  test("what is asked is found out when it was asked: the first note in a language is found by the next search", async () => {
    await write("next", ENGLISH);
    expect(await pathsOf("Rechnungen", "next")).toEqual([]);
    await app.put("vertrag.md", GERMAN[0] ?? "", "next");
    expect(await pathsOf("Rechnungen", "next")).toEqual(["vertrag.md"]);
  });
});

test("an archive that is restored is found in the languages of its texts", async () => {
  await write("kept", [...GERMAN, ...ENGLISH]);
  await app.call("POST", "/v1/agents/kept/facts", {
    facts: [{ text: "Мы переехали в новую квартиру на улице Садовой в прошлом году." }],
  });
  const archive = await app.export("kept");
  expect((await app.import(archive, "?as=restored")).status).toBeLessThan(300);
  await until(async () => (await pathsOf("Rechnungen", "restored"))[0] === "n0.md");
  expect((await pathsOf("квартиры", "restored"))[0]).toMatch(/^facts\//);
  expect(new Set(await languagesOf("restored"))).toEqual(new Set(["german", "english", "russian"]));
});

describe("a language that is set", () => {
  test("holds for every text", async () => {
    await app.call("POST", "/v1/agents", { id: "set", settings: { query: { language: "english" } } });
    await write("set", GERMAN);
    expect((await statusOf("set")).keyword).toMatchObject({ language: "english", languages: ["english"] });
    expect(await pathsOf("Rechnungen", "set")).toEqual([]);
  });

  test("and one that is set no more, have the index made anew", async () => {
    await app.call("POST", "/v1/agents", { id: "unset", settings: { query: { language: "english" } } });
    await write("unset", GERMAN);
    await app.rested();
    await app.call("PATCH", "/v1/agents/unset", { settings: { query: { language: null } } });
    await until(async () => (await statusOf("unset")).keyword.language === "auto");
    expect(await pathsOf("Rechnungen", "unset")).toEqual(["n0.md"]);
    await app.call("PATCH", "/v1/agents/unset", { settings: { query: { language: "german" } } });
    await until(async () => (await statusOf("unset")).keyword.language === "german");
    expect(await pathsOf("Rechnungen", "unset")).toEqual(["n0.md"]);
  });
});

describe("an index of before texts had their own languages", () => {
  const makeOld = async (agent: string) => {
    await app.call("POST", "/v1/agents", { id: agent });
    await app.put("first.md", "TODO", agent);
    await app.rested();
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = $1",
      [agent],
    );
    await app.db.executeSql(`UPDATE ${rows[0]?.name}.generations SET follows_text = false`);
    await app.db.executeSql(`DELETE FROM ${rows[0]?.name}.languages`);
  };

  test("goes on serving texts that are in its one language, until somebody asks for another", async () => {
    await makeOld("old-english");
    await write("old-english", ENGLISH);
    await app.put("vertrag.md", GERMAN[0] ?? "", "old-english");
    expect(await pathsOf("a window leaks", "old-english")).toEqual(["n1.md"]);
    await app.rested();
    expect(await statusOf("old-english")).toMatchObject({
      keyword: { language: "english" },
      reindex: { state: "none" },
    });
    // Any other change of the settings keeps the language.
    await app.call("PATCH", "/v1/agents/old-english", { settings: { query: { maxResults: 5 } } });
    await app.rested();
    expect((await statusOf("old-english")).keyword.language).toBe("english");
    await app.call("POST", "/v1/agents/old-english/reindex", {});
    await until(async () => (await statusOf("old-english")).keyword.language === "auto");
    expect(await pathsOf("Rechnungen", "old-english")).toEqual(["vertrag.md"]);
  });

  test("is made anew where they are in others", async () => {
    await makeOld("old-german");
    await write("old-german", GERMAN);
    await until(async () => (await statusOf("old-german")).keyword.language === "auto");
    expect(await pathsOf("Rechnungen", "old-german")).toEqual(["n0.md"]);
  });
});
