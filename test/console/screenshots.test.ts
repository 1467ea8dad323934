import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { branchOf } from "../support/branches.ts";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  evaluate,
  openBrowser,
  openPage,
  openView,
} from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** The folder for the pictures; `docs/images` writes those of the documents. */
const TO = process.env.RECOLLECT_SCREENSHOTS;
const WORKSPACE = "examples/workspace";
/** Widths and colour schemes. The layout depends on the width only. */
const LOOKS: [number, "light" | "dark"][] = [
  [360, "light"],
  [1280, "light"],
  [2560, "light"],
  [1280, "dark"],
];

const VIEWS: Record<string, string> = {
  overview: "/agents/main",
  facts: "/agents/main/memories?view=timeline",
  memory: "/agents/main/memories?id=2&past=true",
  review: "/agents/main/memories?view=review",
  map: "/agents/main/memories?view=map",
  conversation: "/agents/main/conversations?session=slack:C042&after=0&windows=true",
  search: "/agents/main/search?q=why+did+we+move+the+billing+job",
  recall: "/agents/main/search?mode=recall&q=why+did+we+move+the+billing+job",
  missing: "/agents/main/search?mode=missing&q=billing&expected=MEMORY.md",
  compare: "/agents/main/search?mode=compare&q=billing&otherFusion=rrf",
  evaluations: "/agents/main/evaluations",
  file: "/agents/main/files?path=MEMORY.md",
  folder: "/agents/main/files?path=memory/2026-03-05.md",
  versions: "/agents/main/files?path=notes/plan.md",
  deleted: "/agents/main/files?deleted=true&path=notes/draft.md",
  requests: "/agents/main/activity",
  changes: "/agents/main/activity?view=changes",
  snapshots: "/agents/main/versions?view=snapshots&snapshot=before-cleanup",
  branches: "/agents/try-1/versions?view=branches&with=main",
  sharing: "/agents/main/versions?view=sharing",
  shared: "/agents/main/search?q=refund+approved+by+Ottilie",
  settings: "/agents/main/settings",
  ...Object.fromEntries(
    ["overview", "agents", "access", "health", "usage", "audit", "routing"].map((part) => [
      `workspace-${part}`,
      `/workspace/${part}`,
    ]),
  ),
  tenants: "/workspace/access?view=tenants",
  jobs: "/workspace/health?view=jobs",
};
/** The views that the documents show. */
const SHOWN = ["overview", "search", "file", "versions", "facts", "branches"];

describe("the pictures", needsBrowser(), () => {
  let app: ConsoleApp;

  beforeAll(async () => {
    app = await startConsoleApp({ embedder: new WordEmbedder() });
    const files = readdirSync(WORKSPACE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    const put = files.map((path) => ({ path, content: readFileSync(join(WORKSPACE, path), "utf8") }));
    await app.call("POST", "/v1/agents/main/files", { put });
    const turns = [
      ["I drink tea in the morning.", "Noted: tea."],
      ["The plumber comes on Friday.", "Friday it is."],
      ["No, the plumber comes on Monday.", "Monday then."],
    ];
    const messages = turns.flatMap(([user, assistant]) => [
      { role: "user", text: user },
      { role: "assistant", text: assistant },
    ]);
    await app.call("POST", "/v1/agents/main/sessions/slack:C042/messages", { messages });
    const facts = [
      ["home.city", "Edda lives in Bergen.", "2024-03-01"],
      ["home.city", "Edda lives in Oslo.", "2025-06-15"],
      ["work.role", "Edda is an engineer for billing.", "2024-09-01"],
      ["work.role", "Edda leads the billing team.", "2025-11-01"],
      ["drink.morning", "Edda drinks tea in the morning.", "2025-01-10"],
    ];
    for (const [key, text, day] of facts)
      await app.call("POST", "/v1/agents/main/facts", { facts: [{ key, text, validFrom: `${day}T08:00:00Z` }] });
    await fillPast(app);
    await app.key(["search"], { name: "assistant" });
    await app.call("POST", "/v1/agents", { id: "retired" });
    await app.call("DELETE", "/v1/agents/retired");
    await app.rested();
  });
  afterAll(() => app?.drop());

  test.each(LOOKS)(
    "at %d pixels, %s, no page is wider than the window, and axe finds nothing",
    async (width, colorScheme) => {
      const browser = await openBrowser();
      try {
        const viewport = { width, height: width > 2000 ? 1440 : 800 };
        const page = await openPage(browser, app.console, { viewport, colorScheme });
        for (const name of Object.keys(VIEWS)) {
          await show(page, name);
          const inside = await evaluate(page, "document.documentElement.scrollWidth <= innerWidth");
          expect({ name, inside }).toEqual({ name, inside: true });
          expect({ name, violations: await axeViolations(page) }).toEqual({ name, violations: [] });
          const path = pathOf(name, width, colorScheme);
          if (path !== undefined) await page.screenshot({ path });
        }
        expect(page.problems).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  async function show(page: ConsolePage, name: string): Promise<void> {
    await openView(page, VIEWS[name] ?? "");
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    if (name === "file") await page.getByRole("tab", { name: "Chunks" }).click();
    if (name === "versions") {
      await page.getByRole("tab", { name: "Versions" }).click();
      await page.getByRole("button", { name: "Changes since" }).first().click();
      await page.locator(".diff").waitFor();
    }
    if (name === "branches") {
      await page.getByRole("button", { name: "What would be merged?" }).click();
      await page.getByText("would be merged into main").waitFor();
    }
    if (name === "search") await page.getByRole("button", { name: "Why?" }).first().click();
  }

  /** Returns the path for a picture; undefined if the picture is not wanted. */
  function pathOf(name: string, width: number, colorScheme: string): string | undefined {
    if (TO === undefined) return undefined;
    if (TO !== "docs/images") return join(TO, `${name}-${width}-${colorScheme}.png`);
    return width === 1280 && colorScheme === "light" && SHOWN.includes(name) ? join(TO, `${name}.png`) : undefined;
  }

  test("the documents' pictures are there, and small", () => {
    for (const name of SHOWN) expect(statSync(`docs/images/${name}.png`).size).toBeLessThan(200_000);
  });
});

/** Gives an agent a history, a branch and shared memories. */
async function fillPast(app: ConsoleApp): Promise<void> {
  const plan = (shop: string, day: string) =>
    `# Offsite\n\n- Hotel: booked for twelve\n- Dinner: ${shop}\n- Travel: by train, ${day}\n- Budget: 9,000 euro\n`;
  await app.put("notes/plan.md", plan("not decided", "Thursday"));
  await app.put("notes/plan.md", plan("Osteria Lunga", "Thursday"));
  await app.put("notes/plan.md", plan("Osteria Lunga", "Wednesday evening"));
  await app.put("notes/draft.md", "# Draft\n\nNobody needs this any more.\n");
  await app.put("notes/old.md", "# Old\n\nNumbers of last year.\n");
  await app.call("DELETE", "/v1/agents/main/files/notes/draft.md");
  await app.call("POST", "/v1/agents/main/snapshots", { name: "before-cleanup" });
  await branchOf(app, "main", "try-1");
  await app.put("notes/plan.md", plan("Trattoria Nona", "Wednesday evening"), "try-1");
  await app.put("notes/packing.md", "# Packing\n\nA projector and two adapters.\n", "try-1");
  await app.put("notes/plan.md", plan("at the hotel", "Wednesday evening"));
  await app.call("DELETE", "/v1/agents/main/files/notes/old.md");
  await app.put("rules/refunds.md", "# Refunds\n\nA refund over 500 euro is approved by Ottilie.\n", "handbook");
  await app.put("prices.md", "# Prices\n\nA seat is 12 euro a month.\n", "prices");
  await app.call("PUT", "/v1/agents/handbook/shares/main", { folders: ["rules"] });
  await app.call("PUT", "/v1/agents/main/reads/handbook", {});
  await app.call("PUT", "/v1/agents/prices/shares/main", {});
  await app.call("PUT", "/v1/agents/main/shares/try-1", { sessions: true });
}
