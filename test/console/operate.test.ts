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
  /** A page in the operator's own tenant; the other one switches tenants. */
  let own: ConsolePage;
  const fresh = () => own;

  beforeAll(async () => {
    app = await startConsoleApp({ embedder: new WordEmbedder() });
    await app.put("notes/pump.md", "# Pump\n\nThe pump hums.");
    await app.call("POST", "/v1/agents", { id: "support" });
    browser = await openBrowser();
    page = await openPage(browser, app.console);
    own = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  test("a rule is added, decides where a message goes, is removed, and put back by Undo", async () => {
    await openView(page, "/workspace/routing");
    await page.getByText("There is no rule").waitFor();
    await page.getByRole("button", { name: "Add rule" }).click();
    const form = page.getByRole("dialog", { name: "Add rule" });
    await form.getByLabel("Agent", { exact: true }).fill("support");
    await form.getByLabel("Channel", { exact: true }).fill("slack");
    await expectClean(page);
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const row = page.getByRole("row", { name: /^slack support this tenant/ });
    await row.waitFor();
    await expectClean(page);
    const asked = page.getByRole("region", { name: "Try a message" });
    await asked.getByLabel("Channel", { exact: true }).fill("slack");
    await asked.getByRole("button", { name: "Ask" }).click();
    await page.getByText(/^It goes to support, in the conversation/).waitFor();
    await asked.getByText("by its channel").waitFor();
    await row.getByRole("button", { name: "Remove the rule for slack" }).click();
    await page.getByText("There is no rule").waitFor();
    const rules = async () => (await app.call<{ bindings: object[] }>("GET", "/v1/bindings")).body.bindings;
    expect(await rules()).toEqual([]);
    // A rule that is removed by mistake comes back.
    await page.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    expect(await rules()).toMatchObject([{ agentId: "support", match: { channel: "slack" } }]);
  });

  test("what a rule lacks is told by the service", async () => {
    await openView(page, "/workspace/routing");
    await page.getByRole("button", { name: "Add rule" }).click();
    const form = page.getByRole("dialog", { name: "Add rule" });
    await form.getByLabel("Agent", { exact: true }).fill("no agent has this name");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText(/^Code: /).waitFor();
    await expectClean(page);
  });

  test("a tenant is made, and entered", async () => {
    await openView(page, "/workspace/access?view=tenants");
    await page.getByRole("button", { name: "New tenant" }).click();
    const form = page.getByRole("dialog", { name: "New tenant" });
    await form.getByLabel("Name").fill("Harbour");
    await form.getByLabel("Facts").fill("500");
    await form.getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /^Harbour / });
    await row.waitFor();
    await expectClean(page);
    const { body } = await app.call<{ tenants: { name: string; limits: object }[] }>("GET", "/v1/tenants");
    expect(body.tenants.find(({ name }) => name === "Harbour")?.limits).toEqual({ facts: 500 });
    await row.getByRole("button", { name: "Switch to Harbour" }).click();
    await openView(page, "/workspace/agents");
    await page.getByText("There is no agent yet.", { exact: false }).waitFor();
  });

  test("an agent is created, renamed with a limit, paused and resumed", async () => {
    await openView(fresh(), "/workspace/agents");
    await fresh().getByRole("button", { name: "New agent" }).click();
    const form = fresh().getByRole("dialog", { name: "New agent" });
    await form.getByLabel("Id").fill("sales");
    await form.getByRole("button", { name: "Create" }).click();
    const row = fresh().getByRole("row", { name: /^sales/ });
    await row.waitFor();
    const choose = async (name: string) => {
      await row.getByRole("button", { name: "Actions for sales" }).click();
      await fresh().getByRole("menuitem", { name }).click();
    };
    const agent = async () =>
      (await app.call<{ name: string; status: string; limits: object }>("GET", "/v1/agents/sales")).body;
    await choose("Name and limits");
    const edit = fresh().getByRole("dialog", { name: "Name and limits of sales" });
    await edit.getByLabel("Name").fill("Sales team");
    await edit.getByLabel("Text in MB").fill("1.5");
    await edit.getByRole("button", { name: "Save" }).click();
    await fresh().getByText("0 B of 1.5 MB").waitFor();
    expect(await agent()).toMatchObject({ name: "Sales team", limits: { bytes: 1_500_000 } });
    await choose("Pause");
    await row.getByText("paused").waitFor();
    expect((await agent()).status).toBe("disabled");
    await expectClean(fresh());
    await fresh().getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await agent()).status).toBe("active");
    await fresh().getByLabel("Filter agents").fill("sal");
    await expect.poll(() => fresh().getByRole("row").count()).toBe(2);
  });

  test("checks say what they found, and are made again", async () => {
    await openView(fresh(), "/workspace/health");
    await fresh()
      .getByText(/checks? passed|needs? attention/)
      .first()
      .waitFor();
    await expectClean(fresh());
    const asked = fresh().waitForRequest(/\/v1\/doctor/);
    await fresh().getByRole("button", { name: "Check again" }).click();
    await asked;
    await fresh()
      .getByText(/^Checked /)
      .waitFor();
  });

  test("jobs are filtered by their state", async () => {
    await app.rested();
    await openView(fresh(), "/workspace/health?view=jobs");
    await fresh().getByRole("row").nth(1).waitFor();
    await expectClean(fresh());
    await fresh().getByRole("button", { name: "Failed", exact: true }).click();
    await fresh().getByText("No job is in this state.").waitFor();
    expect(fresh().url()).toContain("state=failed");
  });

  test("the use of a tenant is shown by day with its limits and its storage", async () => {
    await openView(fresh(), "/workspace/usage");
    await fresh().getByRole("heading", { name: "Tokens by day" }).waitFor();
    await fresh().getByRole("region", { name: "Limits" }).getByText("no limit").first().waitFor();
    await fresh().getByRole("region", { name: "Storage" }).getByRole("link", { name: "main" }).waitFor();
    await expectClean(fresh());
    await fresh().getByRole("button", { name: "7 days" }).click();
    await fresh().waitForURL(/days=7/);
    await expectClean(fresh());
  });

  test("the audit log names keys instead of their beginnings, is filtered, and saved as a table", async () => {
    await app.key(["search"], { name: "the robot" });
    await openView(fresh(), "/workspace/audit");
    const row = fresh().getByRole("row", { name: /Created the key the robot/ });
    await row.waitFor();
    await expectClean(fresh());
    await fresh().getByLabel("Filter the log").fill("robot");
    await expect.poll(() => fresh().getByRole("row").count()).toBe(2);
    const saved = fresh().waitForEvent("download");
    await fresh().getByRole("button", { name: "Export as CSV" }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk as Buffer);
    const table = Buffer.concat(chunks).toString("utf8");
    expect(table.split("\r\n")).toHaveLength(2);
    expect(table).toContain('"Created the key"');
    expect(table).toContain('"the robot"');
  });
});
