import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, expectClean, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const OFF = "-archives,-branches,-doctor,-map,-routing,-sharing,-why-not";

describe("a service whose features are switched off", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ env: { RECOLLECT_FEATURES: OFF } });
    await app.put("notes/tea.md", "Green tea is drunk in the morning.");
    await app.rested();
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  test.each([
    ["/agents/main", "main remembers", ["Healthy"]],
    ["/agents/main/versions?view=sharing", "There is no snapshot.", ["Branches", "Sharing"]],
    ["/agents/main/memories?view=map", "No fact is stored.", ["Map"]],
    ["/agents/main/search?q=tea", "What happened", ["Missing?", "Missing something?"]],
    ["/workspace/overview", "no failed job", ["Message routing"]],
    ["/workspace/agents", "New agent", ["Import an archive"]],
    ["/workspace/health", "Jobs that are done", ["Checks", "Check again"]],
  ])("%s shows %s, and nothing that the service refuses", async (view, shown, absent) => {
    await openView(page, view);
    await page.getByText(shown).first().waitFor();
    for (const text of absent) expect(await page.getByText(text, { exact: true }).count()).toBe(0);
    expect(page.refused).toEqual([]);
    await expectClean(page);
  });
});

test("a place whose views are all switched off is absent", needsBrowser(), async () => {
  const app = await startConsoleApp({ env: { RECOLLECT_FEATURES: "-branches,-sharing,-snapshots" } });
  const browser = await openBrowser();
  try {
    const page = await openPage(browser, app.console);
    await openView(page, "/agents/main");
    const links = page.getByRole("navigation").getByRole("link");
    await links.filter({ hasText: "Activity" }).first().waitFor();
    expect(await links.filter({ hasText: "Versions" }).count()).toBe(0);
  } finally {
    await browser.close();
    await app.drop();
  }
});

test("the page names what is switched off, in its compressed form too", async () => {
  const app = await startConsoleApp({ env: { RECOLLECT_FEATURES: "-branches,-sharing" } });
  try {
    const headers = { "accept-encoding": "br, gzip" };
    const answer = await app.runtime.app.request("http://recollect.test/console/", { headers });
    expect(await answer.text()).toContain('<html data-off="sharing branches" ');
  } finally {
    await app.drop();
  }
});
