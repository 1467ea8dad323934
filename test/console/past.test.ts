import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, expectClean, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

describe("the past of a memory in the console", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    await app.put("plan.md", "# Plan\n\nThe pump is blue.\nThe shelf is high.\n");
    await app.put("plan.md", "# Plan\n\nThe pump is red.\nThe shelf is high.\n");
    await app.put("old/gone.md", "A note that was deleted.");
    await app.call("DELETE", "/v1/agents/main/files/old/gone.md");
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });
  const contentOf = async (path: string, agent = "main") =>
    (await app.call<{ content?: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;

  test("a file's versions are listed with what they said and what has changed since, and one is restored", async () => {
    await openView(page, "/agents/main/files?path=plan.md");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText(/^Written: This machine · Replaced .*: This machine/).waitFor();
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByText("The pump is blue.").waitFor();
    await page.getByRole("button", { name: "Changes since" }).click();
    await page.locator(".diff del", { hasText: "-The pump is blue." }).waitFor();
    await page.locator(".diff ins", { hasText: "+The pump is red." }).waitFor();
    expect(await page.locator(".diff").textContent()).not.toContain("+++");
    expect(page.url()).toMatch(/version=\d+&show=diff/);
    await expectClean(page);
    await page.reload();
    await page.locator(".diff ins", { hasText: "+The pump is red." }).waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.locator(".markdown", { hasText: "The pump is blue." }).waitFor();
    expect(await contentOf("plan.md")).toMatch("blue");
    // The text that was replaced is kept, so Undo brings it back.
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".markdown", { hasText: "The pump is red." }).waitFor();
    expect(await contentOf("plan.md")).toMatch("red");
    await expectClean(page);
  });

  test("a version is not restored over a change that came after it was shown", async () => {
    await openView(page, "/agents/main/files?path=plan.md");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Restore" }).first().waitFor();
    await app.put("plan.md", "# Somebody else's\n");
    await page.getByRole("button", { name: "Restore" }).first().click();
    await page.getByText(/has changed/).waitFor();
    expect(await contentOf("plan.md")).toMatch("else's");
  });

  test("a deleted file is listed, read and restored", async () => {
    await openView(page, "/agents/main/files");
    await page.getByRole("button", { name: "Deleted", exact: true }).click();
    await page.getByRole("button", { name: /old\/gone\.md/ }).click();
    await page.getByText("There is no file at this path now.").waitFor();
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByText("A note that was deleted.").waitFor();
    await expectClean(page);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.locator(".markdown", { hasText: "A note that was deleted." }).waitFor();
    await page.getByRole("treeitem", { name: "gone.md" }).waitFor();
    expect(await contentOf("old/gone.md")).toBe("A note that was deleted.");
  });

  test("what a file said before is forgotten by its path", async () => {
    await app.put("secret.md", "The code is 1234.");
    await app.put("secret.md", "No code here.");
    await openView(page, "/agents/main/files?path=secret.md");
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Forget earlier versions" }).click();
    const forget = page.getByRole("dialog").getByRole("button", { name: "Forget" });
    expect(await forget.isDisabled()).toBe(true);
    await page.getByRole("dialog").getByRole("textbox").fill("secret.md");
    await forget.click();
    await page.getByText("No earlier version is kept.").waitFor();
    const { body } = await app.call<{ versions: object[] }>("GET", "/v1/agents/main/versions?path=secret.md");
    expect(body.versions).toEqual([]);
    expect(await contentOf("secret.md")).toBe("No code here.");
  });

  test("what has changed is a list, newest first, with its words, which goes on with what changes", async () => {
    await app.put("a.md", "First.", "feed");
    await app.put("a.md", "Second.", "feed");
    const facts = (text: string) => app.call("POST", "/v1/agents/feed/facts", { facts: [{ text, key: "boiler" }] });
    await facts("The boiler is serviced in May.");
    await facts("The boiler is serviced in June.");
    await openView(page, "/agents/feed/history");
    const changes = page.getByLabel("List of changes").getByRole("article");
    await expect
      .poll(() => changes.allTextContents())
      .toEqual([
        expect.stringMatching(/replaced a fact.*serviced in May\. *The boiler is serviced in June\./),
        expect.stringMatching(/This machine stored a fact.*serviced in May\.Undo/),
        expect.stringMatching(/This machine changed a file.*a\.md.*First\..*Second\./),
        expect.stringMatching(/This machine wrote a file.*a\.md.*First\./),
      ]);
    await app.call("DELETE", "/v1/agents/feed/files/a.md");
    await changes.filter({ hasText: "deleted a file" }).waitFor();
    expect(await changes.count()).toBe(5);
    await expectClean(page);
    await page.getByRole("button", { name: "Kind" }).click();
    await page.getByRole("option", { name: "Facts" }).click();
    await page.waitForURL(/kind=fact/);
    await expect.poll(() => changes.count()).toBe(2);
    await changes.last().getByRole("link").click();
    await page.waitForURL(/memories\?id=/);
  });

  test("a change is undone where it is listed", async () => {
    await app.put("u.md", "As it was.", "undo");
    await app.put("u.md", "Spoiled.", "undo");
    await app.call("POST", "/v1/agents/undo/facts", { facts: [{ text: "Tea at five.", key: "tea" }] });
    await app.call("POST", "/v1/agents/undo/facts", { facts: [{ text: "Tea at six.", key: "tea" }] });
    await openView(page, "/agents/undo/activity?view=changes");
    const changes = page.getByLabel("List of changes").getByRole("article");
    await changes.filter({ hasText: "changed a file" }).getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => contentOf("u.md", "undo")).toBe("As it was.");
    await changes.filter({ hasText: "replaced a fact" }).getByRole("button", { name: "Undo" }).click();
    const valid = async () =>
      (await app.call<{ facts: { text: string }[] }>("GET", "/v1/agents/undo/facts")).body.facts.map(
        ({ text }) => text,
      );
    await expect.poll(valid).toEqual(["Tea at five."]);
    expect(page.problems).toEqual([]);
  });

  test("a snapshot is taken, compared with now, rolled back to and back again, and deleted", async () => {
    await app.put("a.md", "As it was.", "snap");
    await openView(page, "/agents/snap/history?view=snapshots");
    await page.getByText("There is no snapshot.").waitFor();
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    const form = page.getByRole("dialog", { name: "Take a snapshot" });
    await form.getByLabel("Name").fill("before-cleanup");
    await form.getByRole("button", { name: "Take a snapshot" }).click();
    await page.getByText("1 file (10 B), 0 facts").waitFor();
    await page.getByText("Files and facts are now as they were then.").waitFor();
    await app.put("a.md", "Changed.", "snap");
    await app.put("b.md", "New.", "snap");
    await page.reload();
    await page.getByText("Files that it does not have: 1").waitFor();
    await page.getByText("Files that say something else: 1").waitFor();
    const names = page.getByRole("region", { name: "Snapshot", exact: true }).getByRole("link");
    expect(await names.allTextContents()).toEqual(["b.md", "a.md"]);
    await page.getByText("A rollback changes 2 files.").waitFor();
    await expectClean(page);
    await page.getByRole("button", { name: "Roll back" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to before-cleanup" });
    await expectClean(page);
    expect(await contentOf("a.md", "snap")).toBe("Changed.");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page
      .getByText(/^Files and facts are as they were in before-cleanup\. The state before is kept as \S+\.$/)
      .waitFor();
    await page.getByText("Files and facts are now as they were then.").waitFor();
    expect([await contentOf("a.md", "snap"), await contentOf("b.md", "snap")]).toEqual(["As it was.", undefined]);
    // The rollback itself is undone.
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => contentOf("b.md", "snap")).toBe("New.");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete the snapshot" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    const one = page.getByLabel("List of snapshots").getByRole("button", { name: /^before-cleanup/ });
    await expect.poll(() => one.count()).toBe(0);
    const { body } = await app.call<{ snapshots: { name: string }[] }>("GET", "/v1/agents/snap/snapshots");
    expect(body.snapshots.map(({ name }) => name)).not.toContain("before-cleanup");
    expect(body.snapshots.length).toBeGreaterThan(0);
  });
});
