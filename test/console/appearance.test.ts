import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, fillAgent, startConsoleApp } from "../support/console-app.ts";
import { expectClean, openBrowser, openPage, openView, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

/** The most that scripts and styles of the first page may weigh with gzip. */
const FIRST_LOAD_BYTES = 120_000;

describe("how the console looks and loads", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    app = await startConsoleApp();
    await fillAgent(app, "main", 5);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  test("the first page loads under 120 kB of scripts and styles, compressed", async () => {
    const page = await openPage(browser, app.console);
    const loaded = new Map<string, number>();
    page.on("response", async (response) => {
      if (/\.(js|css)$/.test(response.url())) loaded.set(response.url(), gzipSync(await response.body()).length);
    });
    await openView(page, "/agents/main");
    const total = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(loaded.size).toBeGreaterThan(2);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(FIRST_LOAD_BYTES);
    await page.context().close();
  });

  test.each([
    ["Deutsch", "de", "Erinnerungen", "main erinnert sich"],
    ["中文", "zh", "记忆条目", "main 记得"],
  ])("the language %s is chosen, remembered, and said to screen readers", async (name, tag, memories, sentence) => {
    const page = await openPage(browser, app.console);
    await openView(page, "/agents/main");
    await page.getByRole("button", { name: /^Key / }).click();
    await page.getByLabel("Language").selectOption(name);
    await page.getByRole("navigation").getByRole("link", { name: memories }).waitFor();
    await page.reload();
    await page.getByText(new RegExp(`^${sentence}`)).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe(tag);
    await expectClean(page);
    await page.context().close();
  });

  test("a browser that states a locale which no formatter takes gets the console", async () => {
    const page = await openPage(browser, app.console);
    await page.addInitScript("Object.defineProperty(navigator, 'languages', { get: () => ['de-DE@posix', 'de'] })");
    await openView(page, "/agents/main");
    await page.getByText(/^main erinnert sich/).waitFor();
    await expectClean(page);
    await page.context().close();
  });

  test("a theme is chosen, remembered, and given back to the system", async () => {
    const page = await openPage(browser, app.console, { colorScheme: "light" });
    await openView(page, "/agents/main");
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: /^Key / }).click();
    await page.getByRole("button", { name: "Dark" }).click();
    expect(await ground()).not.toBe(light);
    await page.reload();
    await settled(page);
    expect(await ground()).not.toBe(light);
    await expectClean(page);
    await page.getByRole("button", { name: /^Key / }).click();
    await page.getByRole("button", { name: "System" }).click();
    expect(await ground()).toBe(light);
    await page.context().close();
  });

  test("the page says that the service is away, and goes on when it is back", async () => {
    const page = await openPage(browser, app.console);
    await openView(page, "/agents/main");
    await page.route(/\/v1\//, (route) => route.abort());
    await page.getByRole("navigation").getByRole("link", { name: "Conversations" }).click();
    await page.getByText("Can't reach the server. Retrying every 5 seconds.").waitFor();
    await page.unroute(/\/v1\//);
    await page.getByRole("button", { name: "Retry now" }).click();
    await page.getByRole("button", { name: /slack:C042/ }).waitFor();
    await expect.poll(() => page.getByText("Can't reach the server.").count()).toBe(0);
    await page.context().close();
  });
});
