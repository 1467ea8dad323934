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
  ["overview", (agent) => `/agents/${agent}`, /10,0\d\d/, /knows nothing yet/],
  ["search", (agent) => `/agents/${agent}/search?q=parts+of+pump+42`, /lines \d+ to \d+/, /Nothing was found/],
  ["files", (agent) => `/agents/${agent}/files`, /long\.md/, /No file is stored/],
  ["a file", (agent) => `/agents/${agent}/files?path=long.md`, /Water flows downhill/, /file/i],
  ["a folder", (agent) => `/agents/${agent}/files?path=notes/04/04002.md`, /04000\.md/, /No file is stored/],
  ["conversations", (agent) => `/agents/${agent}/sessions`, /500 messages/, /No conversation is stored/],
  ["facts", (agent) => `/agents/${agent}/facts?all=true`, /serviced in May/, /No fact is stored/],
  ["what has changed", (agent) => `/agents/${agent}/history`, /file written/, /Nothing has changed since then/],
  ["snapshots", (agent) => `/agents/${agent}/history?view=snapshots`, /before-cleanup/, /There is no snapshot/],
  ["sharing", (agent) => `/agents/${agent}/sharing`, /files and facts · offered/, /offers its memory to no other/],
  ["live", (agent) => `/agents/${agent}/live`, /Waiting for a change/, /Waiting for a change/],
  ["settings", (agent) => `/agents/${agent}/settings`, /chunking\.tokens/, /chunking\.tokens/],
];

const OPERATE_VIEWS: [name: string, view: string, text: RegExp][] = [
  ["agents", "/operate/agents", /full/],
  ["keys", "/operate/keys", /Make a key/],
  ["jobs", "/operate/jobs", /Jobs/],
  ["routing", "/operate/routing", /Where would this message go/],
  ["usage", "/operate/usage", /embedding provider/],
  ["audit", "/operate/audit", /Erasures/],
  ["tenants", "/operate/tenants", /active/],
  ["doctor", "/operate/doctor", /checks passed/],
];

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
      expect([...new Set(page().refused.splice(0))]).toEqual(refused);
    };

    test.each(AGENT_VIEWS)("%s of a full agent", async (_, view, text) => {
      await openView(page(), view("full"));
      await page().locator("main").getByText(text).first().waitFor();
      await clean();
    });

    test.each(AGENT_VIEWS)("%s of an empty agent", async (_, view, _full, text) => {
      await openView(page(), view("empty"));
      await page().locator("main").getByText(text).first().waitFor();
      const path = new URLSearchParams(view("empty").split("?")[1]).get("path");
      await clean(path === null ? [] : [`404 GET /v1/agents/empty/files/${path}`]);
    });

    test.each(OPERATE_VIEWS)("operate: %s", async (_, view, text) => {
      await openView(page(), view);
      await page().locator("main").getByText(text).first().waitFor();
      await clean();
    });
  });
});
