import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { axeViolations, openBrowser, openPage, openView, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("the header of the console", needsBrowser(), () => {
  let operator: TestApp;
  let app: ConsoleApp;
  let browser: Browser;
  const tenant = (page: Page) => page.getByRole("region", { name: "Where you are" }).getByRole("button").first();
  const warning = (page: Page) => page.getByText("You act in another tenant:");
  /** Returns the colour of the name of the tenant. */
  const colourOf = (page: Page) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('[aria-label^="Tenant "]')).color`);

  beforeAll(async () => {
    operator = await startTestApp({ embedder: undefined, worker: false });
    app = await startConsoleApp({ on: operator, worker: false, keyless: false });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
    await operator?.drop();
  });

  test("says in which tenant one is, and in another than the key's own it warns until one goes back", async () => {
    await operator.tenant("Müller & Söhne");
    const page = await openPage(browser, app.console, { key: await operator.key(["admin"]) });
    await openView(page, "/workspace/access?view=tenants");
    expect(await tenant(page).getAttribute("aria-label")).toBe("Tenant default");
    await page.getByRole("button", { name: "Key test · admin" }).waitFor();
    const usual = await colourOf(page);
    await page
      .getByRole("row", { name: /Müller/ })
      .getByRole("button", { name: /^(Act in this tenant|Switch to)/ })
      .click();
    await warning(page).waitFor();
    for (const view of ["/workspace/access", "/agents/main"]) {
      await page.goto(`#${view}`);
      await settled(page);
      await page.reload();
      await settled(page);
      expect(await tenant(page).textContent()).toBe("Müller & Söhne");
      expect(await warning(page).textContent()).toContain("Müller & Söhne");
      expect(await colourOf(page)).not.toBe(usual);
      expect(await axeViolations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 380, height: 700 });
    expect([await tenant(page).isVisible(), await warning(page).isVisible()]).toEqual([true, true]);
    await page.getByRole("button", { name: "Back to default" }).click();
    await expect.poll(() => tenant(page).textContent()).toBe("default");
    expect(await warning(page).count()).toBe(0);
    expect(await colourOf(page)).toBe(usual);
    expect(page.problems).toEqual([]);
    await page.context().close();
  });

  test("names the key, its scopes and the state of the service, and says that there is no key", async () => {
    const page = await openPage(browser, app.console, { key: await operator.key(["agent:read", "agent:write"]) });
    await openView(page, "/agents/main");
    expect(await tenant(page).getAttribute("aria-label")).toBe("Tenant default");
    await page.getByRole("button", { name: "Key test · agent:read, agent:write" }).waitFor();
    await page.getByRole("link", { name: /^Health: / }).waitFor();
    await page.context().close();
    const open = await startConsoleApp({ worker: false });
    const keyless = await openPage(browser, open.console);
    await openView(keyless, "/agents/main");
    await keyless.getByRole("button", { name: "Key without a key · admin" }).waitFor();
    await keyless.context().close();
    await open.drop();
  });
});
