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
  const where = (page: Page) => page.getByRole("region", { name: "Where you are" });
  const groundOf = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.querySelector(".whereabouts")).backgroundColor');

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
    await openView(page, "/operate/tenants");
    expect(await where(page).textContent()).toBe("Tenant defaultkey test (admin)");
    const usual = await groundOf(page);
    await page
      .getByRole("row", { name: /Müller/ })
      .getByRole("button", { name: "Act in this tenant" })
      .click();
    await where(page).getByText("You act in another tenant:").waitFor();
    for (const view of ["/operate/keys", "/agents/main"]) {
      await page.goto(`#${view}`);
      await settled(page);
      await page.reload();
      await settled(page);
      expect(await where(page).textContent()).toContain("Müller & Söhne");
      expect(await groundOf(page)).not.toBe(usual);
      expect(await axeViolations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await where(page).isVisible()).toBe(true);
    await where(page).getByRole("button", { name: "Back to default" }).click();
    await where(page).getByText("Tenant", { exact: false }).waitFor();
    await expect.poll(() => where(page).textContent()).toBe("Tenant defaultkey test (admin)");
    expect(await groundOf(page)).toBe(usual);
    expect(page.problems).toEqual([]);
    await page.context().close();
  });

  test("names the scopes of a key, and says that there is none", async () => {
    const page = await openPage(browser, app.console, { key: await operator.key(["agent:read", "agent:write"]) });
    await openView(page, "/agents/main");
    expect(await where(page).textContent()).toBe("Tenant defaultkey test (agent:read, agent:write)");
    await page.context().close();
    const open = await startConsoleApp({ worker: false });
    const keyless = await openPage(browser, open.console);
    await openView(keyless, "/agents/main");
    expect(await where(keyless).textContent()).toBe("Tenant defaultwithout a key (admin)");
    await keyless.context().close();
    await open.drop();
  });
});
