import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, expectClean, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const CITIES = [
  ["Petra lives in Bergen.", "2024-12-03"],
  ["Petra lives in Oslo.", "2026-03-01"],
] as const;

describe("somebody who looks at what is remembered about a person", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;

  beforeAll(async () => {
    app = await startConsoleApp();
    for (const [text, day] of CITIES)
      await app.call("POST", "/v1/agents/main/facts", {
        facts: [{ text, key: "user.city", subject: "Petra", scope: { user: "petra" }, validFrom: `${day}T08:00:00Z` }],
      });
    await app.call("POST", "/v1/agents/main/facts", {
      facts: [
        { text: "Petra drinks her coffee black.", subject: "Petra", scope: { user: "petra" }, category: "preference" },
        { text: "Releases are cut on Tuesdays.", category: "decision" },
      ],
    });
    const messages = [
      { role: "assistant", text: "How was the weekend?" },
      { role: "user", name: "Jonas", text: "Good! My name is Jonas. I am allergic to peanuts." },
    ];
    await app.call("POST", "/v1/agents/main/sessions/telegram:jonas/messages", { messages, scope: { user: "jonas" } });
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  const held = async () =>
    (await app.call<{ facts: { text: string }[] }>("GET", "/v1/agents/main/facts?limit=100")).body.facts.map(
      ({ text }) => text,
    );
  const rows = () => page.getByRole("region", { name: "List of facts" }).getByRole("listitem");
  const choosePerson = async (name: string) => {
    await page.getByRole("button", { name: /^Person: / }).click();
    await page.getByRole("option", { name }).click();
  };

  test("sees the facts of one person, since when each is true, and how it changed", async () => {
    await openView(page, "/agents/main/memories");
    await choosePerson("Petra");
    await page.waitForURL(/user=petra/);
    await expect.poll(() => rows().count()).toBe(2);
    await page.getByText(/^2 of \d+ · about Petra$/).waitFor();
    await page.getByRole("button", { name: /Petra lives in Oslo/ }).click();
    await page.getByText("true since Mar 1", { exact: true }).waitFor();
    const changes = page.getByRole("region", { name: "How this changed" }).getByRole("listitem");
    await expect.poll(() => changes.count()).toBe(2);
    expect(await changes.last().textContent()).toContain("Petra lives in Bergen.");
    await expectClean(page);
  });

  test("sees who said a fact, where, and the words around it", async () => {
    await openView(page, "/agents/main/memories?user=jonas");
    await page.getByRole("button", { name: /allergic to peanuts/ }).click();
    const origin = page.getByRole("region", { name: "Where this comes from" });
    await origin.getByText(/Jonas in telegram:jonas/).waitFor();
    await origin.getByText("How was the weekend?").waitFor();
    expect(await origin.locator("mark").count()).toBeGreaterThan(0);
    await origin.getByRole("link", { name: "open conversation" }).click();
    await page.waitForURL(/conversations\?session=telegram/);
    await page.getByRole("list", { name: "Facts captured from this message" }).first().waitFor();
    await expectClean(page);
  });

  test("finds a fact as he types, by other words too, and filters by kind", async () => {
    await openView(page, "/agents/main/memories");
    await page.getByLabel("Filter as you type…").fill("coffee");
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByLabel("Filter as you type…").fill("");
    await page.getByRole("button", { name: "Category" }).click();
    await page.getByRole("option", { name: "Decision" }).click();
    await expect
      .poll(() => rows().allTextContents())
      .toEqual([expect.stringContaining("Releases are cut on Tuesdays.")]);
    await page.getByRole("button", { name: "Clear the filter Category" }).click();
    await page.getByRole("button", { name: "Include past" }).click();
    await page.getByText("Petra lives in Bergen.").waitFor();
    await expectClean(page);
  });

  test("corrects a city with two keys, and takes it back", async () => {
    await openView(page, "/agents/main/memories?user=petra");
    await page.getByRole("button", { name: /Petra lives in Oslo/ }).click();
    await page.getByRole("button", { name: /^Correct E/ }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("New wording").fill("Petra lives in Tromsø.");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Petra lives in Tromsø." }).waitFor();
    await expect.poll(held).toContain("Petra lives in Tromsø.");
    expect(await held()).not.toContain("Petra lives in Oslo.");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Petra lives in Oslo." }).waitFor();
    await expect.poll(held).toContain("Petra lives in Oslo.");
    await expectClean(page);
  });

  test("forgets with a click; Undo brings it back, and leaving the page makes it final", async () => {
    await openView(page, "/agents/main/memories");
    const forget = async () => {
      await page.getByRole("button", { name: /Releases are cut/ }).click();
      await page.getByRole("article").getByRole("button", { name: "Forget" }).click();
      await page.getByText("Forgotten: “Releases are cut on Tuesdays.”").waitFor();
      await expect.poll(() => page.getByRole("button", { name: /Releases are cut/ }).count()).toBe(0);
    };
    await forget();
    expect(await held()).toContain("Releases are cut on Tuesdays.");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: /Releases are cut/ }).waitFor();
    await forget();
    await page.goto("about:blank");
    await expect.poll(held).not.toContain("Releases are cut on Tuesdays.");
  });

  test("forgets everything about a person by the person's name", async () => {
    await openView(page, "/agents/main/memories?user=petra");
    await page.getByRole("button", { name: "Person: Petra" }).click();
    await page.getByRole("button", { name: "Forget everything about Petra" }).click();
    const dialog = page.getByRole("dialog", { name: "Forget everything about Petra" });
    expect(await dialog.getByRole("button", { name: "Forget" }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("Petra");
    await dialog.getByRole("button", { name: "Forget" }).click();
    await expect.poll(async () => (await held()).filter((text) => text.startsWith("Petra"))).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("has one pane on a phone, with a way back", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await openView(page, "/agents/main/memories");
    await page.getByRole("button", { name: /allergic to peanuts/ }).click();
    await page.getByRole("heading", { name: /allergic to peanuts/ }).waitFor();
    expect(await page.getByRole("region", { name: "List of facts" }).isVisible()).toBe(false);
    await expectClean(page);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("region", { name: "List of facts" }).waitFor();
  });
});
