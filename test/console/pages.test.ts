import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, fillAgent, startConsoleApp } from "../support/console-app.ts";
import { axeViolations, type ConsolePage, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

/** The number of short files that the agent has, of one chunk each. */
const FILES = 10_000;

/**
 * Every view of an agent, with a text that shows that it has loaded, on the full agent and on an
 * empty one.
 */
const AGENT_VIEWS: [name: string, view: (agent: string) => string, full: RegExp, empty: RegExp][] = [
  ["home", (agent) => `/agents/${agent}`, /10,0\d\d files/, /remembers nothing yet/],
  [
    "memories",
    (agent) => `/agents/${agent}/memories?past=true`,
    /serviced in May/,
    /No fact is stored|Nothing matches/,
  ],
  ["a memory", (agent) => `/agents/${agent}/memories?id=1`, /How this changed/, /The fact is gone/],
  ["the timeline", (agent) => `/agents/${agent}/memories?view=timeline`, /serviced in May/, /No fact is stored/],
  ["the map", (agent) => `/agents/${agent}/memories?view=map`, /no map|is being made/, /no map/],
  ["the review", (agent) => `/agents/${agent}/memories?view=review`, /Nothing to review/, /Nothing to review/],
  ["conversations", (agent) => `/agents/${agent}/conversations`, /500 messages/, /No conversation is stored/],
  ["files", (agent) => `/agents/${agent}/files`, /long\.md/, /No file is stored/],
  ["a file", (agent) => `/agents/${agent}/files?path=long.md`, /Water flows downhill/, /file/i],
  ["a folder", (agent) => `/agents/${agent}/files?path=notes/04/04002.md`, /04000\.md/, /No file is stored/],
  ["search", (agent) => `/agents/${agent}/search?q=parts+of+pump+42`, /\d+ results? ·/, /Nothing was found/],
  [
    "recall",
    (agent) => `/agents/${agent}/search?mode=recall&q=the+boiler`,
    /What the agent gets/,
    /Nothing is recalled/,
  ],
  ["comparison", (agent) => `/agents/${agent}/search?mode=compare&q=pump+42`, /With a difference/, /Nothing was found/],
  ["evaluations", (agent) => `/agents/${agent}/evaluations`, /No question is saved/, /No question is saved/],
  ["activity", (agent) => `/agents/${agent}/activity`, /Activity/, /Activity/],
  [
    "what has changed",
    (agent) => `/agents/${agent}/activity?view=changes`,
    /Note 0\d+|file written/,
    /Nothing has changed/,
  ],
  ["snapshots", (agent) => `/agents/${agent}/versions`, /before-cleanup/, /There is no snapshot/],
  ["branches", (agent) => `/agents/${agent}/versions?view=branches`, /no branch of another/, /no branch of another/],
  ["sharing", (agent) => `/agents/${agent}/versions?view=sharing`, /files and facts/, /to no other|Not shared/],
  ["settings", (agent) => `/agents/${agent}/settings`, /Chunking|chunking\.tokens/, /Chunking|chunking\.tokens/],
];

const WORKSPACE_VIEWS: [name: string, view: string, text: RegExp][] = [
  ["overview", "/workspace/overview", /Searches/],
  ["agents", "/workspace/agents", /full/],
  ["keys", "/workspace/access", /key/],
  ["tenants", "/workspace/access?view=tenants", /active/],
  ["health", "/workspace/health", /checks? passed|needs? attention/],
  ["jobs", "/workspace/health?view=jobs", /job/i],
  ["usage", "/workspace/usage", /Usage/],
  ["audit", "/workspace/audit", /Audit/],
  ["routing", "/workspace/routing", /Where would/],
];

/** Returns the requests of a view for things that the agent does not have. */
function absentIn(view: (agent: string) => string, agent: string): string[] {
  return view(agent).includes("branches") ? [`404 GET /v1/agents/${agent}/branch`] : [];
}

describe("the pages of the console", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  const schemes = ["light", "dark"] as const;
  const pages = new Map<string, ConsolePage>();

  beforeAll(async () => {
    app = await startConsoleApp();
    await app.call("POST", "/v1/agents", { id: "empty" });
    await fillAgent(app, "full", FILES);
    await app.call("POST", "/v1/agents/full/snapshots", { name: "before-cleanup" });
    await app.call("PUT", "/v1/agents/full/shares/empty", {});
    browser = await openBrowser();
    for (const colorScheme of schemes) pages.set(colorScheme, await openPage(browser, app.console, { colorScheme }));
  });

  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  describe.each(schemes)("in %s", (scheme) => {
    const page = () => pages.get(scheme) as ConsolePage;
    const clean = async (refused: readonly string[] = []) => {
      expect(await axeViolations(page())).toEqual([]);
      expect(page().problems.splice(0)).toEqual([]);
      expect(page().strangers.splice(0)).toEqual([]);
      expect([...new Set(page().refused.splice(0))].sort()).toEqual(refused.toSorted());
    };

    test.each(AGENT_VIEWS)("%s of a full agent", async (_, view, text) => {
      await openView(page(), view("full"));
      await page().locator("main").getByText(text).filter({ visible: true }).first().waitFor();
      await clean(absentIn(view, "full"));
    });

    test.each(AGENT_VIEWS)("%s of an empty agent", async (_, view, _full, text) => {
      await openView(page(), view("empty"));
      await page().locator("main").getByText(text).filter({ visible: true }).first().waitFor();
      const path = new URLSearchParams(view("empty").split("?")[1]).get("path");
      const missing = view("empty").includes("?id=") ? ["404 GET /v1/agents/empty/facts/1/history"] : [];
      await clean(
        path === null ? [...missing, ...absentIn(view, "empty")] : [`404 GET /v1/agents/empty/files/${path}`],
      );
    });

    test.each(WORKSPACE_VIEWS)("workspace: %s", async (_, view, text) => {
      await openView(page(), view);
      await page().locator("main").getByText(text).filter({ visible: true }).first().waitFor();
      await clean();
    });
  });
});
