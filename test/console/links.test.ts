import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { branchOf } from "../support/branches.ts";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, expectClean, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("agents that are made of others or read them, in the console", needsBrowser(), () => {
  let operator: TestApp;
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    operator = await startTestApp({ embedder: undefined });
    await operator.put("a.md", "The pump is blue.");
    await operator.put("b.md", "The shelf is high.");
    await operator.call("POST", "/v1/agents/main/snapshots", { name: "early" });
    await operator.put("later.md", "Only now.");
    await operator.put("rules/refunds.md", "# Refunds\n\nA refund over 500 euro is approved by Ottilie.", "handbook");
    await operator.put("drafts/refunds.md", "A refund draft.", "handbook");
    app = await startConsoleApp({ on: operator, worker: false, keyless: false });
    browser = await openBrowser();
    page = await openPage(browser, app.console, { key: await operator.key(["tenant"]) });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
    await operator?.drop();
  });
  const contentOf = async (path: string, agent: string) =>
    (await operator.call<{ content?: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;

  test("a branch is made of a snapshot, which is seen, and names what it was made of", async () => {
    await openView(page, "/agents/main/branches?snapshot=early");
    await page.getByText("This agent is no branch of another.").waitFor();
    await page.getByRole("button", { name: "Create branch" }).click();
    const form = page.getByRole("dialog", { name: "Create branch" });
    await form.getByLabel("New agent").fill("try-early");
    await expect.poll(() => form.getByLabel("As of").inputValue()).toBe("early");
    await expectClean(page);
    await form.getByRole("button", { name: "Create branch" }).click();
    await page.getByText("It has all that main remembered:").waitFor();
    await expectClean(page);
    await page.getByText("Branches of this agent").waitFor();
    await page.getByRole("listitem").filter({ hasText: "began with" }).getByRole("link", { name: "try-early" }).click();
    await page.getByText(/^Made as of .* of main$/).waitFor();
    expect([await contentOf("a.md", "try-early"), await contentOf("later.md", "try-early")]).toEqual([
      "The pump is blue.",
      undefined,
    ]);
  });

  test("two agents are compared, and a branch is merged once what would be merged was seen and conflicts were decided", async () => {
    await branchOf(operator, "main", "try-1");
    await operator.put("a.md", "The pump is green.", "try-1");
    await operator.put("b.md", "The shelf is low.", "try-1");
    await operator.put("b.md", "The shelf is gone.");
    await openView(page, "/agents/try-1/branches");
    await page.getByRole("combobox", { name: "Compare with" }).selectOption("main");
    await page.getByRole("row", { name: "a.md changed as it was" }).waitFor();
    await page.getByRole("row", { name: "b.md conflict changed changed" }).waitFor();
    await page.getByRole("combobox", { name: "Compare with" }).selectOption("");
    await page.getByRole("button", { name: "What would be merged?" }).click();
    await page.getByText("2 changes would be merged into main.").waitFor();
    await page.getByRole("row", { name: "b.md conflict changed changed" }).waitFor();
    const merge = page.getByRole("button", { name: "Merge", exact: true });
    expect(await merge.isDisabled()).toBe(true);
    await expectClean(page);
    await page.getByLabel("Whose change counts").selectOption("target");
    await merge.click();
    const dialog = page.getByRole("dialog", { name: "Merge into main" });
    expect(await contentOf("a.md", "main")).toBe("The pump is blue.");
    await dialog.getByRole("textbox").fill("main");
    await dialog.getByRole("button", { name: "Merge" }).click();
    await page.getByText("1 change merged into main.").waitFor();
    expect([await contentOf("a.md", "main"), await contentOf("b.md", "main")]).toEqual([
      "The pump is green.",
      "The shelf is gone.",
    ]);
    await page.getByRole("button", { name: "What would be merged?" }).click();
    await page.getByText("There is nothing to merge.").waitFor();
  });

  test("a memory is offered, taken, found with whose it is, left and withdrawn", async () => {
    await openView(page, "/agents/handbook/sharing");
    await page.getByRole("button", { name: "Share memory" }).click();
    const form = page.getByRole("dialog", { name: "Share memory" });
    await form.getByLabel("Share with").selectOption("main");
    await form.getByLabel("Folders").fill("rules/");
    await form.getByRole("button", { name: "Share memory" }).click();
    await page.getByText(/^the folder rules · shared .* · not accepted$/).waitFor();
    await expectClean(page);
    await openView(page, "/agents/main/sharing");
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText(/^the folder rules · shared .* · accepted /).waitFor();
    await expectClean(page);
    await openView(page, "/agents/main/search?q=refund+approved+by+Ottilie");
    await page.getByText("shared by handbook").waitFor();
    expect(await page.getByText("@handbook/drafts").count()).toBe(0);
    await expectClean(page);
    await page.getByRole("main").getByRole("link", { name: "Refunds", exact: true }).click();
    await page.waitForURL(/agents\/handbook\/files/);
    await page.getByRole("heading", { name: "rules/refunds.md" }).waitFor();
    await page.getByText("A refund over 500 euro").waitFor();
    await openView(page, "/agents/main/sharing");
    await page.getByRole("button", { name: "Stop reading" }).click();
    await page.getByText(/not accepted$/).waitFor();
    // What was left by mistake is read again.
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^the folder rules · shared .* · accepted /).waitFor();
    await openView(page, "/agents/handbook/sharing");
    await page.getByRole("button", { name: "Stop sharing" }).click();
    await page
      .getByRole("dialog")
      .getByText(/has to accept a new offer/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Stop sharing" }).click();
    await page.getByText("Not shared with any agent").waitFor();
    expect((await operator.call("GET", "/v1/agents/main/reads")).body).toEqual({ shares: [] });
  });

  test("a hit of a memory that the key may not look into has no link, and a key of one agent manages nothing", async () => {
    await operator.call("PUT", "/v1/agents/handbook/shares/main", {});
    await operator.call("PUT", "/v1/agents/main/reads/handbook", {});
    const bound = await openPage(browser, app.console, {
      key: await operator.key(["agent:read"], { agentId: "main" }),
    });
    await openView(bound, "/agents/main/search?q=refund+approved+by+Ottilie+pump");
    await bound.getByText("@handbook/rules/refunds.md · 1–3").waitFor();
    await bound.getByRole("main").getByRole("link", { name: "a.md", exact: true }).waitFor();
    expect(await bound.getByRole("main").getByRole("link", { name: "Refunds", exact: true }).count()).toBe(0);
    await openView(bound, "/agents/main/sharing");
    await bound.getByText(/^files and facts · shared .* · accepted /).waitFor();
    await expectClean(bound);
    for (const name of ["Stop reading", "Share memory"])
      expect(await bound.getByRole("button", { name }).count()).toBe(0);
    await openView(bound, "/agents/main/branches");
    await bound.getByText("This agent is no branch of another.").waitFor();
    expect(await bound.getByRole("button", { name: /Create branch|Merge/ }).count()).toBe(0);
    expect(bound.refused).toEqual(["404 GET /v1/agents/main/branch"]);
    await bound.context().close();
  });
});
