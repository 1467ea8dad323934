import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { openBrowser, openPage, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { type PrefixProxy, startPrefixProxy } from "../support/prefix-proxy.ts";

const PREFIX = "/memory";

describe("the console behind a path prefix", needsBrowser(), () => {
  let app: ConsoleApp;
  let proxy: PrefixProxy;
  let browser: Browser;

  beforeAll(async () => {
    app = await startConsoleApp();
    await app.put("a.md", "A note on pumps.");
    proxy = await startPrefixProxy(PREFIX, app.console);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await app?.drop();
  });

  test("`/` leads there, pages load and answer, and no request leaves the prefix", async () => {
    const page = await openPage(browser, proxy.url);
    await page.goto("");
    expect(page.url()).toMatch(`${proxy.url}console/`);
    await settled(page);
    await page.getByRole("navigation").getByRole("link", { name: "Files" }).click();
    await page.getByRole("treeitem", { name: /a\.md/ }).click();
    await page.getByText("A note on pumps.").waitFor();
    await page.getByRole("link", { name: "Memories" }).click();
    await page.getByText("No fact is stored.").waitFor();
    expect(proxy.asked.filter((path) => !path.startsWith(`${PREFIX}/`))).toEqual([]);
    expect([page.problems, page.strangers, page.refused]).toEqual([[], [], []]);
  });
});
