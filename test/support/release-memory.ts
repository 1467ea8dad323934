/**
 * The memory that `test/migrations/release.test.ts` reads back from an earlier release, and the
 * questions that it asks. `test/support/record-release.ts` fills a database with it.
 */

/** Calls the API as the operator. @throws Error when the answer is an error */
export type CallApi = <T>(method: string, path: string, body?: object) => Promise<T>;

const FILES = {
  "harbour/moorings.md":
    "# Moorings\n\nThe boat Albatross lies at pier nine.\n\n## Winter\n\nIn November it goes to the shed in Bergen.",
  "people/mina.md": "---\ntags: [family]\n---\n# Mina\n\nMina drinks oat milk and plays the cello on Tuesdays.",
  "invoices.md":
    "| month | paid | sum |\n|---|---|---|\n| August | yes | 1,240 |\n| September | no | 980 |\n| October | yes | 1,105 |",
  "notes/2026-05-09.md": "We chose Postgres for the ledger because two teams know it.",
  "notes/deutsch.md": "Die Heizung wird jedes Jahr im Herbst von einer Firma aus Lübeck gewartet.",
};

const MESSAGES = [
  {
    id: "m1",
    role: "user",
    name: "Ada",
    content: "The ferry to Oslo leaves at half past six.",
    at: "2026-05-04T09:00:00Z",
  },
  { id: "m2", role: "assistant", content: "I shall remind you at six.", at: "2026-05-04T09:00:05Z" },
  {
    id: "m3",
    role: "user",
    name: "Ada",
    content: "Pack the blue umbrella and the charger.",
    at: "2026-05-04T09:01:00Z",
  },
];

const FACTS = [
  { text: "The boat is called Albatross", category: "entity" },
  { text: "Mina lives in Oslo", key: "mina city" },
  { text: "Ada likes short answers", category: "preference", scope: { user: "ada" } },
];

/** Writes the memory of the agent `main`. Resolves before its embeddings are made. */
export async function fillMemory(call: CallApi): Promise<void> {
  const put = Object.entries(FILES).map(([path, content]) => ({ path, content }));
  await call("POST", "/v1/agents/main/files", { put });
  await call("POST", "/v1/agents/main/sessions/chat:1/messages", { messages: MESSAGES });
  await call("POST", "/v1/agents/main/facts", { facts: FACTS });
  await call("POST", "/v1/agents/main/snapshots", { name: "before" });
  // A second version of a file, and a fact that replaces another.
  const changed = FILES["harbour/moorings.md"].replace("pier nine", "pier twelve");
  await call("POST", "/v1/agents/main/files", { put: [{ path: "harbour/moorings.md", content: changed }] });
  await call("POST", "/v1/agents/main/facts", { facts: [{ text: "Mina lives in Bergen", key: "mina city" }] });
}

const QUESTIONS = [
  "where does the boat Albatross lie",
  "when does the ferry leave",
  "who waits on the heating",
  "wann wird die Heizung gewartet",
  "which month is not paid",
  "cello",
  "why Postgres for the ledger",
  "where does Mina live",
];

/** The answers of a memory, without scores and ids, which may differ between releases. */
export interface Answers {
  searches: Record<string, string[]>;
  texts: Record<string, string>;
  facts: string[];
  before: string;
}

/** Asks the questions, and reads back what is stored. */
export async function askMemory(call: CallApi): Promise<Answers> {
  const searches: Answers["searches"] = {};
  for (const query of QUESTIONS) {
    const { results } = await call<{ results: { citation: string }[] }>("POST", "/v1/agents/main/search", { query });
    searches[query] = results.map(({ citation }) => citation.replace(/facts\/\d+/, "facts/…"));
  }
  const texts: Answers["texts"] = {};
  for (const path of [...Object.keys(FILES), "sessions/chat:1"])
    texts[path] = (await call<{ text: string }>("POST", "/v1/agents/main/tools/memory_get", { path })).text;
  const { facts } = await call<{ facts: { text: string }[] }>("GET", "/v1/agents/main/facts");
  const { versions } = await call<{ versions: { version: string }[] }>(
    "GET",
    "/v1/agents/main/versions?path=harbour/moorings.md",
  );
  const { content } = await call<{ content: string }>("GET", `/v1/agents/main/versions/${versions[0]?.version}`);
  return { searches, texts, facts: facts.map(({ text }) => text).sort(), before: content };
}
