import { readFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { BROWSER } from "./needs.ts";

/** Pages load slowly beside busy processes. A page that never loads fails after this time. */
const LIMIT_MS = 60_000;
/** The checker of accessibility, a script for browsers. */
const AXE = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url);

/** A page of the console, with a record of everything that must not happen in it. */
export interface ConsolePage extends Page {
  /** Dialogs, errors of scripts, and breaches of the content security policy, in order. */
  problems: string[];
  /** Requests to other origins than the console's. */
  strangers: string[];
  /** Failed requests, such as `404 GET /v1/…`. */
  refused: string[];
}

/** Starts the browser of this machine, see `needsBrowser`. */
export async function openBrowser(): Promise<Browser> {
  // Imported here, because the suites that need it are skipped where it is not installed.
  const { chromium } = await import("playwright-core");
  if (BROWSER === undefined) throw new Error("There is no browser; the suite should have been skipped.");
  // A container may lack what a browser's sandbox needs. The pages are the tests' own.
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
}

/**
 * Opens a page of a console in a new browser context.
 *
 * @param base the URL of the console, such as `http://127.0.0.1:7420/console/`
 * @param options `key`: signed in with this key
 */
export async function openPage(
  browser: Browser,
  base: string,
  { key, ...options }: BrowserContextOptions & { key?: string } = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ baseURL: base, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(LIMIT_MS);
  // The empty page (about:blank) has no storage.
  if (key !== undefined)
    await context.addInitScript(
      `if (location.protocol === "http:") sessionStorage.setItem("recollect.key", ${JSON.stringify(key)})`,
    );
  const page = Object.assign(await context.newPage(), {
    problems: [] as string[],
    strangers: [] as string[],
    refused: [] as string[],
  });
  const { origin } = new URL(base);
  page.on("console", (message) => {
    // The browser reports failed requests here too; `refused` has them with their status.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      page.problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    if (dialog.type() === "beforeunload" && leaving.has(page)) return void dialog.accept();
    page.problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => page.problems.push(`window: ${popup.url()}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "blob:" && url.origin !== origin) page.strangers.push(request.url());
  });
  page.on("response", (response) => {
    if (response.status() >= 400)
      page.refused.push(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  return page;
}

/** Pages that the test leaves for another view. Unsaved input must not hold them. */
const leaving = new WeakSet<Page>();

/**
 * Opens a view by its address after `#`, and waits until it has loaded its data. Discards unsaved
 * input.
 */
export async function openView(page: Page, view: string): Promise<void> {
  // Changing only the part after `#` would not load the page anew.
  leaving.add(page);
  await page.goto("about:blank");
  leaving.delete(page);
  await page.goto(`#${view}`);
  await settled(page);
}

/** Waits until no part of the page says that it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").first().waitFor();
  await expect.poll(() => page.getByText(/^Loading .*…$/).count()).toBe(0);
}

/** Expects that the page is accessible and that nothing has gone wrong in it so far. */
export async function expectClean(page: ConsolePage): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(page.problems).toEqual([]);
}

/**
 * Returns the violations that axe finds in the page, one line each. The debugger runs axe, because
 * the page's own policy forbids foreign scripts.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const expression = `${readFileSync(AXE, "utf8")}; axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => id + ": " + html.slice(0, 200) + " " + (any[0]?.message ?? ""))))`;
  return evaluate<string[]>(page, expression);
}

/**
 * Evaluates an expression in the page through the debugger, which ignores the page's content
 * security policy.
 */
export async function evaluate<T>(page: Page, expression: string): Promise<T> {
  const session = await page.context().newCDPSession(page);
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
