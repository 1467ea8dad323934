import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Download } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDataset, readDataset } from "../../src/cli/eval/read-dataset.ts";
import { type ConsoleApp, fillAgent, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  evaluate,
  expectClean,
  openBrowser,
  openPage,
  openView,
} from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

describe("what the console does", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "recollect-console-"));
    app = await startConsoleApp();
    await fillAgent(app, "main", 30);
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
    await rm(folder, { recursive: true });
  });

  test("axe and the record of errors would report a fault", async () => {
    await openView(page, "/agents/main/settings");
    await evaluate(
      page,
      `document.querySelector("main").append(document.createElement("input"));
      const script = document.createElement("script"); script.textContent = "window.ran = 1"; document.body.append(script);`,
    );
    expect(await axeViolations(page)).not.toEqual([]);
    await expect.poll(() => page.problems.splice(0).join()).toMatch(/Content Security Policy/i);
    expect(await evaluate(page, "typeof window.ran")).toBe("undefined");
  });

  test("a file is shown cut into its chunks, with their lines", async () => {
    await openView(page, "/agents/main/files?path=long.md");
    await page.getByRole("button", { name: "Chunks", exact: true }).click();
    await page.getByText(/^Lines 1 to \d+$/).waitFor();
    const { body } = await app.call<{ chunks: object[] }>("GET", "/v1/agents/main/chunks?path=long.md");
    expect(await page.locator(".chunks > li").count()).toBe(body.chunks.length);
    await expectClean(page);
  });

  test("a file is saved as it was opened, and not over a change that came between", async () => {
    await openView(page, "/agents/main/files?path=notes/00/00001.md");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Content").fill("# Mine");
    await app.put("notes/00/00001.md", "# Somebody else's");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Code: file_changed").waitFor();
    expect(
      (await app.call<{ content: string }>("GET", "/v1/agents/main/files/notes/00/00001.md")).body.content,
    ).toMatch("else's");
    await openView(page, "/agents/main/files?path=notes/00/00001.md");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const erase = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    expect(await erase.isDisabled()).toBe(true);
    await expectClean(page);
    await page.getByRole("dialog").getByRole("textbox").fill("notes/00/00001.md");
    await erase.click();
    await page.getByText("Choose a file.").waitFor();
    expect((await app.call("GET", "/v1/agents/main/files/notes/00/00001.md")).status).toBe(404);
  });

  test("a conversation shows the windows that it is indexed in", async () => {
    await app.rested();
    await openView(page, "/agents/main/sessions");
    await page.getByRole("button", { name: /slack:C042/ }).click();
    await page.getByLabel("Show windows").check();
    await page.getByText("Window: messages 1 to 3").waitFor();
    await page.getByText("Window: messages 3 to 5").waitFor();
    await expectClean(page);
  });

  test("a fact is corrected, what held stays on the timeline, and is restored", async () => {
    await openView(page, "/agents/main/facts");
    await page.getByRole("button", { name: "Timeline" }).click();
    await page.getByRole("button", { name: /serviced in May/ }).click();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("heading", { name: "The boiler is serviced in May." }).waitFor();
    // Polls the API, because the heading was there before, too.
    const valid = async () =>
      (await app.call<{ facts: { text: string }[] }>("GET", "/v1/agents/main/facts")).body.facts.map(
        ({ text }) => text,
      );
    await expect.poll(valid).toEqual(["The boiler is serviced in May."]);
    await page.locator("summary", { hasText: "Correct" }).click();
    await page.getByLabel("What holds now").fill("The boiler is serviced in July.");
    await page.getByRole("button", { name: "Correct" }).click();
    await page.getByRole("heading", { name: "The boiler is serviced in July." }).waitFor();
    await expectClean(page);
  });

  test("who searches is seen a little later, by the name of the key, and what was asked is not", async () => {
    const key = await app.key(["search"], { name: "the assistant" });
    await app.call("POST", "/v1/agents/main/tools/memory_search", { query: "a private pump" }, key);
    await app.runtime.deps.activity.flush();
    await openView(page, "/agents/main/live");
    await page.getByText(/the assistant \(rcl_\w+\) searched, \d+ hits?/).waitFor();
    expect(await page.getByText("private").count()).toBe(0);
    await expectClean(page);
  });

  test("the overview draws what was stored by day, without a provider of embeddings", async () => {
    await openView(page, "/agents/main");
    await page.locator("canvas").waitFor();
    await page.getByText("Chunks by the day their text was stored, as a table").waitFor();
    await page.getByRole("button", { name: "Messages", exact: true }).click();
    await page.getByText("Messages by the day they were stored, as a table").click();
    const { body } = await app.call<{ days: { messages: number }[] }>("GET", "/v1/agents/main/growth");
    await page
      .getByRole("row", { name: `${body.days.at(-1)?.messages}`, exact: false })
      .first()
      .waitFor();
    expect(page.url()).toContain("grown=messages");
    await expectClean(page);
  });

  test("a change of settings says what it does before it is saved", async () => {
    await openView(page, "/agents/main/settings");
    await page.getByText("Change the agent's own settings").click();
    const editor = page.getByLabel("Own settings (JSON)");
    await editor.fill('{"query":{"maxResults":9}}');
    await page.getByText("This takes effect with the next request.").waitFor();
    await editor.fill('{"chunking":{"tokens":300}}');
    await page.getByText("This builds a new index in the background.").waitFor();
    await expectClean(page);
    await editor.fill('{"query":{"maxResults":9}}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /query\.maxResults .* 9 agent/ }).waitFor();
  });

  test("an agent is exported, imported under another name, erased by its name, and leaves a receipt", async () => {
    await openView(page, "/operate/agents");
    const row = page.getByRole("row", { name: /^main / });
    const saved = await saves(() => row.getByRole("button", { name: "Export" }).click());
    await page.getByText("Import an archive").click();
    await page.getByLabel("Archive").setInputFiles(saved[0] ?? "");
    await page.getByLabel("As the agent").fill("copy");
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByText(/^copy: \d+ files, 500 messages, /).waitFor();
    await expectClean(page);
    await page
      .getByRole("row", { name: /^copy / })
      .getByRole("button", { name: "Erase" })
      .click();
    await page.getByRole("dialog").getByRole("textbox").fill("copy");
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByRole("dialog", { name: "Receipt for copy" }).waitFor();
    await openView(page, "/operate/audit");
    await page.getByRole("button", { name: "Show the receipt for copy" }).click();
    const receipt = await saves(() => page.getByRole("button", { name: "Save as a file" }).click());
    expect(JSON.parse(await readFile(receipt[0] ?? "", "utf8"))).toMatchObject({ agentId: "copy" });
    await expectClean(page);
  });

  test("saved questions are run, and make a data set that `recollect eval` reads", async () => {
    await openView(page, "/agents/main/search?q=parts+of+pump+12");
    await page.getByText("Both rankings, and the floor").click();
    await page.getByText("Explain").first().click();
    await expectClean(page);
    await page.getByRole("button", { name: "This is the right answer" }).first().click();
    await page.getByText("Saved questions (1)").click();
    await page.getByRole("button", { name: "Run them all" }).click();
    await page.getByRole("row", { name: /the agent's settings 100 % 100 % 100 % 1\.00/ }).waitFor();
    // Repeats the search with another fusion, so that the runs are shown beside each other.
    await page.getByLabel("Fusion").selectOption("rrf");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL(/fusion=rrf/);
    await page.getByRole("button", { name: "Run them all" }).click();
    await page.getByRole("row", { name: /fusion rrf 100 %/ }).waitFor();
    await page.getByText("What each question gained or lost: 0 better, 0 worse, 1 as before.").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(1);
    await expectClean(page);
    const files = await saves(() => page.getByRole("button", { name: "Save for recollect eval" }).click(), 3);
    expect(files).toHaveLength(3);
    const found = await findDataset(folder);
    if ("missing" in found) throw new Error(`no ${found.missing}`);
    const problems: string[] = [];
    const { queries } = await readDataset(found, "console", (problem) => problems.push(problem));
    expect(problems).toEqual([]);
    expect(queries).toMatchObject([{ text: "parts of pump 12" }]);
    expect([...(queries[0]?.judgements.keys() ?? [])]).toEqual([expect.stringMatching(/^notes\/00\/\d+\.md$/)]);
  });

  test("why a file is not shown is told by its chunks", async () => {
    await openView(page, "/agents/main/search?q=parts+of+pump+12");
    await page.getByText("Why is something not shown?").click();
    await page.getByLabel("Path", { exact: true }).fill("long.md");
    await page.getByRole("button", { name: "Why not" }).click();
    await page.getByRole("columnheader", { name: "Reason" }).waitFor();
    await expectClean(page);
  });

  test("everything is reached by the keyboard", async () => {
    await openView(page, "/agents/main");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Go to" }).waitFor();
    await page.keyboard.type("Files");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Files" }).waitFor();
    await page.getByText("long.md").first().waitFor();
    await page.getByRole("treeitem", { name: "long.md" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("treeitem", { name: "00/" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("treeitem", { name: "00000.md" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "notes/00/00000.md", level: 2 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("hums of shelf");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search" }).waitFor();
    expect(page.url()).toContain("q=hums+of+shelf");
    await openView(page, "/agents/main");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await evaluate(page, "document.activeElement.id")).toBe("content");
    await expectClean(page);
  });

  test("what happens is shown as it comes", async () => {
    await openView(page, "/agents/main/live");
    await page.getByText("Waiting for a change").waitFor();
    // The stream's first status may come after the first of these writes.
    for (let number = 0; number < 2; number++) await app.put(`live-${number}.md`, "A new note.");
    await expect
      .poll(async () => {
        await app.put(`live-${Date.now()}.md`, "A new note.");
        return page.getByText(/Files: \+/).count();
      })
      .toBeGreaterThan(0);
    await expectClean(page);
  });

  /** Returns the files that the page makes the browser save, in the test's folder. */
  async function saves(act: () => Promise<void>, count = 1): Promise<string[]> {
    const downloads: Download[] = [];
    const note = (download: Download) => downloads.push(download);
    page.on("download", note);
    await act();
    await expect.poll(() => downloads.length).toBe(count);
    page.off("download", note);
    return Promise.all(
      downloads.map(async (download) => {
        const path = join(folder, download.suggestedFilename());
        await download.saveAs(path);
        return path;
      }),
    );
  }
});
