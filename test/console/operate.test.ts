import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, expectClean, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

describe("what an operator does in the console", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp({ embedder: new WordEmbedder() });
    await app.put("notes/pump.md", "# Pump\n\nThe pump hums.");
    await app.call("POST", "/v1/agents", { id: "support" });
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  test("a rule is added, decides where a message goes, and is removed by the name of its agent", async () => {
    await openView(page, "/operate/routing");
    await page.getByText("There is no rule").waitFor();
    await page.getByText("Add a rule", { exact: true }).click();
    const form = page.locator("details form");
    await form.getByLabel("Go to the agent").fill("support");
    await form.getByLabel("Channel", { exact: true }).fill("slack");
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByRole("row", { name: /^slack support this tenant/ }).waitFor();
    await expectClean(page);
    const asked = page.locator("form.card");
    await asked.getByLabel("Channel", { exact: true }).fill("slack");
    await asked.getByRole("button", { name: "Ask" }).click();
    await page.getByText(/^To support by channel in the conversation/).waitFor();
    await page
      .getByRole("row", { name: /^slack/ })
      .getByRole("button", { name: "Remove" })
      .click();
    await page.getByRole("dialog").getByRole("textbox").fill("support");
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("There is no rule").waitFor();
    expect((await app.call<{ bindings: object[] }>("GET", "/v1/bindings")).body.bindings).toEqual([]);
  });

  test("what a rule lacks is told by the service", async () => {
    await openView(page, "/operate/routing");
    await page.getByText("Add a rule", { exact: true }).click();
    await page.locator("details form").getByLabel("Go to the agent").fill("no agent has this name");
    await page.locator("details form").getByRole("button", { name: "Add" }).click();
    await page
      .locator("details form")
      .getByText(/^Code: /)
      .waitFor();
    await expectClean(page);
  });

  test("a tenant is made, and entered", async () => {
    await openView(page, "/operate/tenants");
    await page.getByLabel("New tenant").fill("Harbour");
    await page.getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /^Harbour / });
    await row.waitFor();
    await expectClean(page);
    await row.getByRole("button", { name: "Act in this tenant" }).click();
    await openView(page, "/operate/agents");
    await page.getByText("There is no agent yet.", { exact: false }).waitFor();
  });
});
