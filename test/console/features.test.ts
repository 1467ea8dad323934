import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Download } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOn } from "../support/cli-harness.ts";
import { type ConsoleApp, fillAgent, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  evaluate,
  expectClean,
  openBrowser,
  openPage,
  openView,
  settled,
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
    await page.getByRole("tab", { name: "Chunks", exact: true }).click();
    await page.getByText(/^Lines 1 to \d+$/).waitFor();
    const { body } = await app.call<{ chunks: object[] }>("GET", "/v1/agents/main/chunks?path=long.md");
    expect(await page.getByRole("list", { name: "Chunks" }).getByRole("listitem").count()).toBe(body.chunks.length);
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
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Content").fill("# Mine after all");
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.locator(".diff ins", { hasText: "+# Mine after all" }).waitFor();
    await expectClean(page);
    await page.keyboard.press("Control+s");
    await page.locator(".markdown", { hasText: "Mine after all" }).waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("Choose a file.").waitFor();
    await expectClean(page);
    const status = async () => (await app.call("GET", "/v1/agents/main/files/notes/00/00001.md")).status;
    expect(await status()).toBe(404);
    // A file that is deleted by mistake comes back.
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(status).toBe(200);
  });

  test("a conversation shows the windows that it is indexed in", async () => {
    await app.rested();
    await openView(page, "/agents/main/conversations");
    await page.getByRole("button", { name: /slack:C042/ }).click();
    // It opens at the newest message, whose words the list beside it shows too.
    const said = page.getByRole("region", { name: "Messages" });
    await said.getByText("Message 499: the pump of shelf 499 hums.").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Show indexed passages" }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "From the beginning" }).click();
    await page.getByText("Indexed passage: messages 1 to 3").waitFor();
    await page.getByText("Indexed passage: messages 3 to 5").waitFor();
    await expectClean(page);
  });

  test("a fact is corrected, what held stays on the timeline, and is restored", async () => {
    await openView(page, "/agents/main/memories");
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
    await page.getByRole("button", { name: /^Correct/ }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("New wording").fill("The boiler is serviced in July.");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The boiler is serviced in July." }).waitFor();
    await expectClean(page);
    // Undo makes the old wording hold again.
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "The boiler is serviced in May." }).waitFor();
    await expect.poll(valid).toEqual(["The boiler is serviced in May."]);
  });

  test("who searches is seen a little later, by the name of the key, and what was asked is not", async () => {
    const key = await app.key(["search"], { name: "the assistant" });
    await app.call("POST", "/v1/agents/main/tools/memory_search", { query: "a private pump" }, key);
    await app.runtime.deps.activity.flush();
    await openView(page, "/agents/main/activity");
    const row = page.getByRole("row", { name: /the assistant search \d+ hits?/ });
    await row.waitFor();
    expect(await row.getByText("the assistant").getAttribute("title")).toMatch(/^rcl_\w+$/);
    await page.getByRole("region", { name: "By caller" }).getByText("the assistant").waitFor();
    expect(await page.getByText("private").count()).toBe(0);
    await expectClean(page);
  });

  test("the overview draws what was stored by day, without a provider of embeddings", async () => {
    await openView(page, "/agents/main");
    const name = "Files, facts and messages in all, by day";
    await page.getByRole("img", { name }).waitFor();
    await page
      .getByRole("button", { name: /^View as table/ })
      .first()
      .click();
    const { body } = await app.call<{ days: { files: number; facts: number; messages: number }[] }>(
      "GET",
      "/v1/agents/main/growth",
    );
    const { files, facts, messages } = body.days.at(-1) ?? { files: 0, facts: 0, messages: 0 };
    const today = page.getByRole("row", { name: /^today/ });
    await expect.poll(() => today.textContent()).toBe(`today${files}${facts}${messages}`);
    await page.getByRole("button", { name: "30 days" }).click();
    await expect.poll(() => today.textContent()).toBe(`today${files}${facts}${messages}`);
    await expectClean(page);
  });

  test("a change of settings says what it does before it is saved", async () => {
    await openView(page, "/agents/main/settings");
    const results = page.getByRole("spinbutton", { name: "Max results" });
    await results.fill("9");
    await page.getByText("This takes effect with the next request.").waitFor();
    await page.getByRole("spinbutton", { name: "Tokens", exact: true }).fill("300");
    await page.getByText("This builds a new index in the background.").first().waitFor();
    await expectClean(page);
    await page.getByRole("button", { name: "Undo the change of Tokens" }).click();
    await page.getByRole("button", { name: "Review and save" }).click();
    const dialog = page.getByRole("dialog", { name: "Review and save" });
    await dialog.locator("del", { hasText: "6" }).waitFor();
    await dialog.locator("ins", { hasText: "9" }).waitFor();
    await expectClean(page);
    const own = async () => (await app.call<{ own: object }>("GET", "/v1/agents/main/settings")).body.own;
    expect(await own()).toEqual({});
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 changed").waitFor();
    expect(await own()).toEqual({ query: { maxResults: 9 } });
    // Only what is changed is shown, and is given back to the weaker layers.
    await page.getByRole("button", { name: "Changed", exact: true }).click();
    await expect.poll(() => page.getByRole("spinbutton").count()).toBe(1);
    await page.getByRole("button", { name: "Reset Max results to the inherited value" }).click();
    await page.getByRole("button", { name: "Review and save" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("all defaults").waitFor();
    expect(await own()).toEqual({ query: {} });
    // Who has a block of a configuration pastes it.
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    const editor = page.getByRole("dialog", { name: "Edit as JSON" });
    await editor.getByLabel("Own settings (JSON)").fill('{"query":{"maxResults":8}}');
    await editor.getByText("This takes effect with the next request.").waitFor();
    await editor.getByRole("button", { name: "Save" }).click();
    await expect.poll(own).toEqual({ query: { maxResults: 8 } });
  });

  test("an agent is exported, imported under another name, erased by its name, and leaves a receipt", async () => {
    await openView(page, "/workspace/agents");
    const row = page.getByRole("row", { name: /^main / });
    await row.getByRole("button", { name: "Actions for main" }).click();
    const saved = await saves(() => page.getByRole("menuitem", { name: "Export" }).click());
    await page.getByRole("button", { name: "Import an archive" }).click();
    const form = page.getByRole("dialog", { name: "Import an archive" });
    await form.getByLabel("Archive").setInputFiles(saved[0] ?? "");
    await form.getByLabel("As the agent").fill("copy");
    await expectClean(page);
    await form.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText(/^copy: \d+ files, 500 messages, /).waitFor();
    await expectClean(page);
    await page
      .getByRole("row", { name: /^copy / })
      .getByRole("button", { name: "Actions for copy" })
      .click();
    await page.getByRole("menuitem", { name: "Erase" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("copy");
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByRole("dialog", { name: "Receipt for copy" }).waitFor();
    await openView(page, "/workspace/audit?view=erasures");
    await page.getByRole("button", { name: "Receipt the receipt for copy" }).click();
    const receipt = await saves(() => page.getByRole("button", { name: "Save as a file" }).click());
    expect(JSON.parse(await readFile(receipt[0] ?? "", "utf8"))).toMatchObject({ agentId: "copy" });
    await expectClean(page);
  });

  test("saved questions are run, and make a data set that `recollect eval` reads", async () => {
    await openView(page, "/agents/main/search?q=parts+of+pump+12");
    await page.getByRole("heading", { name: "How this was ranked" }).waitFor();
    await page.getByRole("button", { name: "Why?" }).first().click();
    await page.getByText(/× a random match/).waitFor();
    await expectClean(page);
    await page.getByRole("button", { name: "Mark as correct" }).first().click();
    await page.getByRole("button", { name: "Marked as correct" }).waitFor();
    await openView(page, "/agents/main/evaluations");
    await page.getByRole("button", { name: "Run evaluation" }).click();
    await page.getByRole("row", { name: /the agent's settings 100 % 100 % 100 % 1\.00/ }).waitFor();
    // Repeats the run with another ranking, so that the runs are shown beside each other.
    await page.getByRole("button", { name: "Run with…" }).click();
    await page.getByRole("menuitem", { name: "reciprocal rank" }).click();
    await page.getByRole("row", { name: /fusion rrf \(in this browser\) 100 %/ }).waitFor();
    await page.getByText("What each question gained or lost: 0 better, 0 worse, 1 as before.").waitFor();
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(1);
    await expectClean(page);
    const files = await saves(() => page.getByRole("button", { name: "Export for the CLI" }).click(), 3);
    expect(files).toHaveLength(3);
    const { code, out, err } = await cliOn(app)("eval", folder, "--agent", "main", "--json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ queries: 1, runs: [{ measures: { ndcg10: { mean: 1 } } }] });
  });

  test("why a file is not shown is told by its chunks", async () => {
    await openView(page, "/agents/main/search?q=parts+of+pump+12");
    await page.getByLabel("Paste the sentence you expected, or a path…").fill("long.md");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("columnheader", { name: "Reason" }).waitFor();
    await page.getByText("It is among the results.").waitFor();
    await expectClean(page);
    // A sentence is enough: the console finds what it is from.
    await page.getByLabel("What did you expect to find?").fill("Shelf 00003 holds the parts of pump 10.");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("heading", { name: "notes/00/00003.md" }).waitFor();
    // The file is one chunk, so a table would only repeat the reason.
    expect(await page.getByRole("columnheader", { name: "Reason" }).count()).toBe(0);
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
    await page.getByRole("dialog", { name: "Go to" }).waitFor();
    await page.keyboard.type("hums of shelf");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Search" }).waitFor();
    expect(page.url()).toContain("q=hums+of+shelf");
    await settled(page);
    // Keys lead from place to place, and through a list.
    await page.locator("body").click({ position: { x: 700, y: 500 } });
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByRole("heading", { name: "Memories" }).waitFor();
    await page
      .getByRole("button", { name: /The boiler is serviced/ })
      .first()
      .waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: /The boiler is serviced/, level: 2 }).waitFor();
    await page.keyboard.press("/");
    expect(await evaluate(page, "document.activeElement.placeholder")).toBe("Filter as you type…");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await expectClean(page);
    await page.keyboard.press("Escape");
    await openView(page, "/agents/main");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await evaluate(page, "document.activeElement.id")).toBe("content");
    await expectClean(page);
  });

  test("what happens is shown as it comes", async () => {
    await openView(page, "/agents/main/activity");
    await page.getByText("Write a file, append a message or store a fact").waitFor();
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
