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
  /** The address of the form's page. */
  view: string;
  /** Whether the form is in a dialog, from which only Cancel, Escape and the back button lead away. */
  inDialog?: true;
  type(page: ConsolePage): Promise<void>;
}

/** A form that a button opens in a dialog. */
const dialog = (view: string, button: string, field: string): Form => ({
  view,
  inDialog: true,
  type: async (page) => {
    await page.getByRole("main").getByRole("button", { name: button }).click();
    await page
      .getByRole("dialog")
      .getByLabel(new RegExp(`^${field}`))
      .first()
      .fill(TYPED);
  },
});
const FORMS: Record<string, Form> = {
  "the text of a file": {
    view: "/agents/main/files",
    type: async (page) => {
      await page.getByRole("treeitem", { name: /a\.md/ }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Content").fill(TYPED);
    },
  },
  "a setting of an agent": {
    view: "/agents/main/settings",
    type: (page) => page.getByRole("textbox", { name: "Timezone" }).fill(TYPED),
  },
  "settings of an agent as JSON": {
    view: "/agents/main/settings",
    inDialog: true,
    type: async (page) => {
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      await page.getByLabel("Own settings (JSON)").fill(`{ "a": "${TYPED}" }`);
    },
  },
  "a new fact": dialog("/agents/main/memories", "Add fact", "Fact"),
  "the correction of a fact": {
    view: "/agents/main/memories?id=1",
    type: async (page) => {
      await page.getByRole("button", { name: "Correct" }).first().click();
      await page.getByLabel("New wording").fill(TYPED);
    },
  },
  "the name of a snapshot": dialog("/agents/main/versions", "Take a snapshot", "Name"),
  "a new branch": dialog("/agents/main/versions?view=branches", "Create branch", "New agent"),
  "a shared memory": dialog("/agents/main/versions?view=sharing", "Share memory", "Folders"),
  "a new agent": dialog("/workspace/agents", "New agent", "Id"),
  "an import": dialog("/workspace/agents", "Import an archive", "As the agent"),
  "a new key": dialog("/workspace/access", "Create key", "Name"),
  "a rule of routing": dialog("/workspace/routing", "Add rule", "Agent"),
  "a new tenant": dialog("/workspace/access?view=tenants", "New tenant", "Name"),
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
    await openView(page, "/workspace/health");
    await page.evaluate(`location.hash = "#${form.view}"`);
    await settled(page);
    await form.type(page);
    const place = page.url();
    const leave = () =>
      form.inDialog
        ? page.getByRole("dialog").last().getByRole("button", { name: "Cancel" }).click()
        : page.getByRole("navigation").getByRole("link").first().click();
    await leave();
    await question().waitFor();
    await question().getByRole("button", { name: "Stay here" }).click();
    await question().waitFor({ state: "hidden" });
    expect([page.url(), await isKept()]).toEqual([place, true]);
    if (form.inDialog) {
      await page.keyboard.press("Escape");
      await question().getByRole("button", { name: "Stay here" }).click();
      expect([page.url(), await isKept()]).toEqual([place, true]);
    }
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
    await leave();
    await question().getByRole("button", { name: "Leave without saving" }).click();
    await expect.poll(isKept).toBe(false);
    await expect.poll(() => page.url()).not.toBe(place);
    // There is no question about input that was given up.
    await page.getByRole("navigation").getByRole("link").last().click();
    await settled(page);
    expect(await question().count()).toBe(0);
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
      () => page.getByRole("button", { name: "Discard" }).click(),
      async () => {
        await page.getByRole("button", { name: "Agent main" }).click();
        await page.getByRole("option", { name: "other" }).click();
      },
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
    await page.getByRole("button", { name: "Discard" }).click();
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
    await openView(page, "/agents/main/memories?id=1");
    await page.getByRole("button", { name: "Correct" }).first().click();
    await page.getByLabel("New wording").fill("The pump is silent.");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "The pump is silent." }).waitFor();
    expect(page.problems).toEqual([]);
  });
});
