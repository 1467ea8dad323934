import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
const search = async (query: string) =>
  (await app.call<SearchOutput>("POST", "/v1/agents/main/tools/memory_search", { query, includeText: true })).body
    .results;
const get = async (input: object) =>
  (await app.call<{ text: string }>("POST", "/v1/agents/main/tools/memory_get", input)).body.text;

const NAMES = ["Ada", "Bo", "Cleo", "Dov", "Eve", "Finn", "Gita", "Hal", "Ines", "Jo"];
const rows = Array.from({ length: 200 }, (_, n) => {
  const name = n === 117 ? "Silas" : `${NAMES[n % 10]}${n}`;
  return `| ${name} | ${40_000 + n * 7} | building ${n % 9} | team ${n % 13} |`;
});
const table = [
  "# Staff",
  "",
  "Everybody who works here.",
  "",
  "| name | badge number | place | team |",
  "|---|---|---|---|",
];
const png = `data:image/png;base64,${randomBytes(120_000).toString("base64")}`;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("staff.md", [...table, ...rows, "", "## Visitors", "", "Visitors get a card at the desk."].join("\n"));
  await app.put("kitchen.md", `# Kitchen\n\nThe plan of the kitchen.\n\n![plan](${png})\n\nThe tap drips since May.\n`);
  const small = `data:image/gif;base64,${randomBytes(900).toString("base64")}`;
  const messages = [
    { role: "user", content: `Look at my scooter: ${small} It lost a wheel.` },
    { role: "assistant", content: "The wheel of the scooter costs 12 euros." },
    { role: "user", content: "Order it please." },
    { role: "assistant", content: "Ordered, it comes on Friday." },
  ];
  await app.call("POST", "/v1/agents/main/sessions/chat:scooter/messages", { messages });
  const machine = [
    { role: "user", content: "[Telegram Ana id:1 2026-05-04 09:15 GMT+2] I saw a seal." },
    { role: "user", content: "Relevant memories:\n- The walrus eats clams\n\nWhat does the seal eat?" },
    { role: "user", content: "[Subagent Context] You are a subagent. The walrus eats clams." },
    { role: "assistant", content: "The seal eats herring." },
  ];
  await app.call("POST", "/v1/agents/main/sessions/chat:seal/messages", { messages: machine });
});
afterAll(() => app.drop());

test("a row of a long table is found first, with its header, and its lines are true", async () => {
  for (const [query, row] of [
    ["badge number of Silas", rows[117]],
    ["What is the badge number of Gita126?", rows[126]],
  ] as const) {
    const [hit] = await search(query);
    expect(hit?.path).toBe("staff.md");
    expect(hit?.snippet.split("\n").map((line) => line.replace(/^…|…$/gu, ""))).toEqual(
      expect.arrayContaining(["| name | badge number | place | team |", row]),
    );
    expect(hit?.snippet.length).toBeLessThanOrEqual(700);
    const lines = (hit?.endLine ?? 0) - (hit?.startLine ?? 0) + 1;
    expect(await get({ path: hit?.path, from: hit?.startLine, lines })).toContain(row);
  }
});

test("text behind a table has no header of it", async () => {
  const [hit] = await search("Where do visitors get a card?");
  expect(hit?.snippet).toContain("Visitors get a card at the desk.");
  expect(hit?.text?.startsWith("## Visitors") ? hit.snippet : "").not.toContain("badge number");
});

test("a picture in a note is left out of its chunks, and the file keeps it", async () => {
  const { body } = await app.call<{ chunks: object[] }>("GET", "/v1/agents/main/chunks?path=kitchen.md");
  expect(body.chunks).toHaveLength(1);
  const [hit] = await search("When did the tap begin to drip?");
  expect(hit).toMatchObject({ path: "kitchen.md", startLine: 1, endLine: 7 });
  expect(hit?.text).toBe(
    "# Kitchen\n\nThe plan of the kitchen.\n\n![plan]([image/png data, 160 kB])\n\nThe tap drips since May.",
  );
  expect(hit?.snippet).toContain("[image/png data, 160 kB]");
  expect(await get({ path: "kitchen.md", from: 5, lines: 1 })).toBe(`![plan](${png})`.slice(0, 12_000));
});

test("texts of programs in messages are neither found nor shown, and stay in the conversation", async () => {
  const [hit] = await search("What did the seal eat?");
  expect(hit?.path).toBe("sessions/chat:seal");
  expect(hit?.text).toBe("user: I saw a seal.\nuser: \n\n\nWhat does the seal eat?\nassistant: The seal eats herring.");
  expect((await search("walrus clams")).filter(({ snippet }) => /walrus|Telegram/.test(snippet))).toEqual([]);
  expect(await get({ path: "sessions/chat:seal" })).toContain("The walrus eats clams");
});

test("a picture in a message is left out of the hit, which still grows by the messages around it", async () => {
  const [hit] = await search("scooter wheel");
  expect(hit?.path).toBe("sessions/chat:scooter");
  expect(hit?.text).toBe(
    "user: Look at my scooter: [image/gif data, 1 kB] It lost a wheel.\nassistant: The wheel of the scooter costs 12 euros.\nuser: Order it please.\nassistant: Ordered, it comes on Friday.",
  );
});
