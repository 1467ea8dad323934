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
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText(/^Written by local.*Replaced .* by local/).waitFor();
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
    const dialog = page.getByRole("dialog", { name: "Restore the version" });
    await dialog.getByText(/^plan\.md becomes what it said/).waitFor();
    await expectClean(page);
    expect(await contentOf("plan.md")).toMatch("red");
    await dialog.getByRole("button", { name: "Restore" }).click();
    await page.locator(".markdown", { hasText: "The pump is blue." }).waitFor();
    expect(await contentOf("plan.md")).toMatch("blue");
  });

  test("a version is not restored over a change that came after it was shown", async () => {
    await openView(page, "/agents/main/files?path=plan.md");
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: "Restore" }).first().click();
    await app.put("plan.md", "# Somebody else's\n");
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByText("Code: file_changed").waitFor();
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
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.locator(".markdown", { hasText: "A note that was deleted." }).waitFor();
    await page.getByRole("treeitem", { name: "gone.md" }).waitFor();
    expect(await contentOf("old/gone.md")).toBe("A note that was deleted.");
  });

  test("what a file said before is forgotten by its path", async () => {
    await app.put("secret.md", "The code is 1234.");
    await app.put("secret.md", "No code here.");
    await openView(page, "/agents/main/files?path=secret.md");
    await page.getByRole("button", { name: "History" }).click();
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

  test("what has changed is a list since a day that goes on with what changes, and leads to what was said", async () => {
    await app.put("a.md", "First.", "feed");
    await app.put("a.md", "Second.", "feed");
    await app.call("POST", "/v1/agents/feed/facts", { facts: [{ text: "The boiler is serviced in May." }] });
    await openView(page, "/agents/feed/history");
    const changes = page.getByLabel("List of changes").getByRole("listitem");
    await expect
      .poll(() => changes.allTextContents())
      .toEqual([
        expect.stringMatching(/^a\.md.*file written, by local/),
        expect.stringMatching(/^a\.md.*file changed, by local/),
        expect.stringMatching(/^facts\/\d+.*fact stored, by local/),
      ]);
    await app.call("DELETE", "/v1/agents/feed/files/a.md");
    await changes.filter({ hasText: "file deleted" }).waitFor();
    expect(await changes.count()).toBe(4);
    await expectClean(page);
    await page.getByLabel("Since").fill("2026-01-01");
    await page.waitForURL(/since=2026-01-01/);
    await expect.poll(() => changes.count()).toBe(4);
    await changes.first().getByRole("link").click();
    await page.getByText("First.", { exact: true }).waitFor();
  });

  test("a snapshot is taken, compared with now, rolled back by its name, and deleted", async () => {
    await app.put("a.md", "As it was.", "snap");
    await openView(page, "/agents/snap/history?view=snapshots");
    await page.getByText("There is no snapshot.").waitFor();
    await page.getByLabel("Name").fill("before-cleanup");
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    await page.getByText("1 file (10 B), 0 facts").waitFor();
    await app.put("a.md", "Changed.", "snap");
    await app.put("b.md", "New.", "snap");
    await page.getByRole("button", { name: "Compare with now" }).click();
    await page.getByText("Files that it does not have: 1").waitFor();
    await page.getByText("Files that say something else: 1").waitFor();
    expect(await page.locator(".names a").allTextContents()).toEqual(["b.md", "a.md"]);
    await expectClean(page);
    await page.getByRole("button", { name: "Roll back" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to before-cleanup" });
    await dialog.getByText(/^2 files and 0 facts become what they were/).waitFor();
    expect(await dialog.getByRole("button", { name: "Roll back" }).isDisabled()).toBe(true);
    await expectClean(page);
    await dialog.getByRole("textbox").fill("before-cleanup");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText(/^Files and facts are as they were in before-cleanup\. Roll back to \S+ to undo/).waitFor();
    await page.getByText("Files and facts are now as they were then.").waitFor();
    expect([await contentOf("a.md", "snap"), await contentOf("b.md", "snap")]).toEqual(["As it was.", undefined]);
    const one = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "before-cleanup", exact: true }) });
    await one.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("before-cleanup");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(() => one.count()).toBe(0);
    const { body } = await app.call<{ snapshots: { name: string }[] }>("GET", "/v1/agents/snap/snapshots");
    expect(body.snapshots).toHaveLength(1);
  });
});
