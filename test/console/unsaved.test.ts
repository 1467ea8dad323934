import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  openBrowser,
  openPage,
  openView,
  settled,
} from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const TYPED = "typed-and-not-saved";

/** A form with unsaved input. */
interface Form {
  /** The link to the form's page. */
  link: string;
  type(page: ConsolePage): Promise<void>;
}

const opened = (page: ConsolePage, name: string) => page.getByText(name, { exact: true }).first().click();
const FORMS: Record<string, Form> = {
  "the text of a file": {
    link: "Files",
    type: async (page) => {
      await page.getByRole("treeitem", { name: /a\.md/ }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Content").fill(TYPED);
    },
  },
  "settings of an agent": {
    link: "Settings",
    type: async (page) => {
      await opened(page, "Change the agent's own settings");
      await page.getByLabel("Own settings (JSON)").fill(`{ "a": "${TYPED}" }`);
    },
  },
  "a new fact": {
    link: "Facts",
    type: async (page) => {
      await opened(page, "Add a fact");
      await page.getByLabel("What holds", { exact: true }).fill(TYPED);
    },
  },
  "the correction of a fact": {
    link: "Facts",
    type: async (page) => {
      await page.getByText("The pump hums.").first().click();
      await opened(page, "Correct");
      await page.getByLabel("What holds now").fill(TYPED);
    },
  },
  "the name of a snapshot": {
    link: "History",
    type: async (page) => {
      await page.getByRole("button", { name: "Snapshots" }).click();
      await page.getByLabel("Name").fill(TYPED);
    },
  },
  "a new branch": { link: "Branches", type: (page) => page.getByLabel("New agent").fill(TYPED) },
  "an offer": { link: "Sharing", type: (page) => page.getByLabel(/^Folders/).fill(TYPED) },
  "a new agent": { link: "Agents", type: (page) => page.getByLabel("New agent").fill(TYPED) },
  "an import": {
    link: "Agents",
    type: async (page) => {
      await opened(page, "Import an archive");
      await page.getByLabel("As the agent").fill(TYPED);
    },
  },
  "a new key": {
    link: "Keys",
    type: async (page) => {
      await opened(page, "Make a key");
      await page.getByLabel("Name").fill(TYPED);
    },
  },
  "a rule of routing": {
    link: "Routing",
    type: async (page) => {
      await opened(page, "Add a rule");
      await page.getByLabel("Go to the agent").fill(TYPED);
    },
  },
  "a new tenant": { link: "Tenants", type: (page) => page.getByLabel("New tenant").fill(TYPED) },
};

describe("what is typed in the console and not saved", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;
  const question = () => page.getByRole("dialog", { name: "Leave without saving?" });
  const isKept = () =>
    page.evaluate(
      `[...document.querySelectorAll("input, textarea")].some((one) => one.value.includes(${JSON.stringify(TYPED)}))`,
    );

  beforeAll(async () => {
    app = await startConsoleApp({ worker: false });
    await app.put("a.md", "A note on pumps.");
    await app.put("b.md", "A note on valves.");
    await app.put("c.md", "A note.", "other");
    await app.call("POST", "/v1/agents/main/facts", { facts: [{ text: "The pump hums." }] });
    browser = await openBrowser();
  });
  beforeEach(async () => {
    page = await openPage(browser, app.console);
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  test.each(Object.entries(FORMS))("%s: another page, the back button and a reload ask first", async (_, form) => {
    await openView(page, "/operate/doctor");
    await page.getByRole("navigation").getByRole("link", { name: form.link, exact: true }).click();
    await settled(page);
    await form.type(page);
    const place = page.url();
    await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
    await question().waitFor();
    await question().getByRole("button", { name: "Stay here" }).click();
    await question().waitFor({ state: "hidden" });
    expect([page.url(), await isKept()]).toEqual([place, true]);
    await page.evaluate("void history.back()");
    await question().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.url()).toBe(place);
    expect([await question().count(), await isKept()]).toEqual([0, true]);
    // The browser asks its own question, which is dismissed.
    const before = page.problems.length;
    await page.evaluate("void setTimeout(() => location.reload())");
    await expect.poll(() => page.problems.length).toBe(before + 1);
    expect(page.problems.pop()).toMatch(/^dialog: /);
    expect(await isKept()).toBe(true);
    await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
    await question().getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForURL("**/console/#/operate/jobs");
    // There is no question about input that was given up.
    await page.getByRole("navigation").getByRole("link", { name: "Doctor" }).click();
    await page.waitForURL("**/console/#/operate/doctor");
    expect(page.problems).toEqual([]);
  });

  test("another file, another view of it and another agent ask too; saving ends it", async () => {
    await openView(page, "/agents/main/files?path=a.md");
    const edit = async (text: string) => {
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Content").fill(text);
    };
    await edit(TYPED);
    const leaves = [
      () => page.getByRole("treeitem", { name: /b\.md/ }).click(),
      () => page.getByRole("button", { name: "Read", exact: true }).click(),
      () => page.getByLabel("Agent").selectOption("other"),
    ];
    for (const leave of leaves) {
      await leave();
      await question().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await question().getByRole("button", { name: "Stay here" }).click();
      expect(await page.getByLabel("Content").inputValue()).toBe(TYPED);
    }
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Content").waitFor({ state: "hidden" });
    await page.getByRole("article").getByText(TYPED).waitFor();
    await page.getByRole("treeitem", { name: /b\.md/ }).click();
    await page.getByText("A note on valves.").waitFor();
    expect(await question().count()).toBe(0);
    await edit(TYPED);
    await page.getByRole("button", { name: "Source" }).click();
    await question().getByRole("button", { name: "Leave without saving" }).click();
    await page.getByText("A note on valves.").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("an edit is saved over what was opened, and over nothing that came meanwhile", async () => {
    await openView(page, "/agents/main/files?path=b.md");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Content").fill("Mine");
    await app.put("b.md", "Theirs, written meanwhile.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Content").inputValue()).toBe("Mine");
    expect((await app.call<{ content: string }>("GET", "/v1/agents/main/files/b.md")).body.content).toContain("Theirs");
  });

  test("a correction that is saved leads to what holds now without a question", async () => {
    await openView(page, "/agents/main/facts?id=1");
    await opened(page, "Correct");
    await page.getByLabel("What holds now").fill("The pump is silent.");
    await page.getByRole("button", { name: "Correct" }).click();
    await page.getByRole("heading", { name: "The pump is silent." }).waitFor();
    expect(page.problems).toEqual([]);
  });
});
