import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  evaluate,
  openBrowser,
  openPage,
  openView,
} from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

describe("the tree of files", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    const paths = ["MEMORY.md", "notes/2025/may.md", "notes/2026/june.md", "notes/2026/july.md", "notes/index.md"];
    await app.call("POST", "/v1/agents/main/files", { put: paths.map((path) => ({ path, content: `# ${path}` })) });
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  /** Returns the lines of the tree, each with its level and its state. */
  const lines = () =>
    evaluate<string[]>(
      page,
      `[...document.querySelectorAll('[role="treeitem"]')].map((line) => [line.getAttribute("aria-level"),
        line.querySelector("bdi").textContent, line.getAttribute("aria-expanded") ?? "",
        line.getAttribute("aria-posinset") + "/" + line.getAttribute("aria-setsize")].join(" "))`,
    );
  const focused = () =>
    evaluate<string | undefined>(
      page,
      `document.activeElement.closest('[role="treeitem"]')?.querySelector("bdi")?.textContent`,
    );
  const press = async (key: string, name: string) => {
    await page.keyboard.press(key);
    await expect.poll(focused).toBe(name);
  };

  test("is walked by the keys of the WAI-ARIA pattern", async () => {
    await openView(page, "/agents/main/files");
    expect(await lines()).toEqual(["1 MEMORY.md  1/2", "1 notes/ false 2/2"]);
    await page.getByLabel("Filter files by path").focus();
    await press("Tab", "MEMORY.md");
    // Tab leaves the tree, and Shift+Tab returns to the same line.
    await page.keyboard.press("Tab");
    expect(await focused()).toBeUndefined();
    await press("Shift+Tab", "MEMORY.md");
    await press("ArrowDown", "notes/");
    await press("ArrowDown", "notes/");
    await page.keyboard.press("ArrowRight");
    await page.getByText("index.md").waitFor();
    expect(await focused()).toBe("notes/");
    await press("ArrowRight", "2025/");
    await press("ArrowDown", "2026/");
    await page.keyboard.press("Enter");
    await page.getByText("july.md").waitFor();
    expect(await lines()).toEqual([
      ...["1 MEMORY.md  1/2", "1 notes/ true 2/2", "2 2025/ false 1/3", "2 2026/ true 2/3", "3 july.md  1/2"],
      ...["3 june.md  2/2", "2 index.md  3/3"],
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await press("End", "index.md");
    await press("Home", "MEMORY.md");
    await press("i", "index.md");
    await press("ArrowUp", "june.md");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "notes/2026/june.md", level: 2 }).waitFor();
    expect(await focused()).toBe("june.md");
    expect(await evaluate(page, "document.activeElement.getAttribute('aria-selected')")).toBe("true");
    await press("ArrowLeft", "2026/");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(lines).toHaveLength(5);
    await press("ArrowLeft", "notes/");
    expect(page.problems).toEqual([]);
  });

  test("an address opens the folders of its file, and a prefix narrows the tree", async () => {
    await openView(page, "/agents/main/files?path=notes/2026/june.md");
    await page.getByRole("treeitem", { name: "june.md", selected: true }).waitFor();
    await page.getByLabel("Filter files by path").fill("notes/202");
    await page.getByRole("treeitem", { name: "2025/" }).waitFor();
    await expect.poll(async () => (await lines())[0]).toBe("1 2025/ false 1/2");
    // A part from the middle of a path finds the file too.
    await page.getByLabel("Filter files by path").fill("july");
    await page.getByRole("button", { name: /^july\.md/ }).click();
    await page.getByRole("heading", { name: "notes/2026/july.md", level: 2 }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Filter files by path").fill("absent/");
    await page.getByText("No path has “absent/” in it.").waitFor();
  });

  test("a file that is deleted leaves the tree, and Undo brings it back", async () => {
    await openView(page, "/agents/main/files?path=notes/2025/may.md");
    await page.getByRole("treeitem", { name: "may.md" }).waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect.poll(() => page.getByRole("treeitem", { name: "may.md" }).count()).toBe(0);
    await expect.poll(() => page.getByRole("treeitem", { name: "2025/" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "notes/2025/may.md", level: 2 }).waitFor();
    const { status } = await app.call("GET", "/v1/agents/main/files/notes/2025/may.md");
    expect(status).toBe(200);
    expect(page.problems).toEqual([]);
  });
});
