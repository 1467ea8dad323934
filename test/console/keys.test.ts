import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { axeViolations, openBrowser, openPage, openView, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const READ = [
  ...["Overview", "Search", "Files", "Conversations", "Facts", "History", "Branches", "Sharing", "Live", "Settings"],
];
const OPERATE = ["Agents", "Keys", "Jobs", "Routing", "Usage", "Audit", "Tenants", "Doctor"];

interface KeyCase {
  scopes: string[];
  agentId?: string;
  /** The pages that the console offers. */
  pages: string[];
  /** Pages that are not offered, by address, each with a request that the service refuses. */
  refused: { view: string; method: string; path: string }[];
  writes: boolean;
}

const KEYS = { view: "/operate/keys", method: "GET", path: "/v1/keys" };
const TENANTS = { view: "/operate/tenants", method: "GET", path: "/v1/tenants" };
const FILES = { view: "/agents/main/files", method: "GET", path: "/v1/agents/main/files" };

const CASES: [string, KeyCase][] = [
  ["search", { scopes: ["search"], pages: ["Search", "Doctor"], refused: [FILES, KEYS, TENANTS], writes: false }],
  [
    "agent:read",
    {
      scopes: ["agent:read"],
      pages: [...READ, "Agents", "Routing", "Doctor"],
      refused: [KEYS, TENANTS],
      writes: false,
    },
  ],
  ["agent:write alone", { scopes: ["agent:write"], pages: [], refused: [FILES, KEYS, TENANTS], writes: false }],
  [
    "agent:read and agent:write",
    {
      scopes: ["agent:read", "agent:write"],
      pages: [...READ, "Agents", "Routing", "Doctor"],
      refused: [KEYS, TENANTS],
      writes: true,
    },
  ],
  [
    "read and write of one agent",
    {
      scopes: ["agent:read", "agent:write"],
      agentId: "main",
      pages: [...READ, "Doctor"],
      refused: [KEYS, TENANTS],
      writes: true,
    },
  ],
  [
    "tenant",
    {
      scopes: ["tenant"],
      pages: [...READ, ...OPERATE.filter((name) => name !== "Tenants")],
      refused: [TENANTS],
      writes: true,
    },
  ],
  ["admin", { scopes: ["admin"], pages: [...READ, ...OPERATE], refused: [], writes: true }],
];

describe("the console with a key", needsBrowser(), () => {
  let operator: TestApp;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    operator = await startTestApp({ embedder: undefined });
    await operator.put("a.md", "A note.");
    await operator.put("a.md", "A note on pumps.");
    app = await startConsoleApp({ on: operator, worker: false, keyless: false });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
    await operator?.drop();
  });

  test("without one it asks for it, says when it is refused, and stays signed in for the tab alone", async () => {
    const page = await openPage(browser, app.console);
    await page.goto("");
    await page.getByLabel("API key").fill("rcl_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("does not accept this key").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("API key").fill(await operator.key(["tenant"]));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Keys" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Keys" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(app.console);
    await other.getByLabel("API key").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect(page.problems).toEqual([]);
    await page.context().close();
  });

  test.each(CASES)("%s: what it may not do is not offered, and the service refuses it", async (_, one) => {
    const { scopes, agentId, pages, refused, writes } = one;
    const key = await operator.key(scopes, agentId === undefined ? {} : { agentId });
    const page = await openPage(browser, app.console, { key });
    await openView(page, "/agents/main");
    expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual(pages);
    expect(await axeViolations(page)).toEqual([]);
    for (const { view, method, path } of refused) {
      await openView(page, view);
      await page.getByText(/^Your key (may not see this|is bound to one agent)/).waitFor();
      expect((await app.call(method, path, undefined, key)).status).toBe(403);
    }
    if (pages.includes("Files")) {
      await openView(page, "/agents/main/files?path=a.md");
      await page.getByText("A note on pumps.").waitFor();
      expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(writes ? 1 : 0);
      await page.getByRole("button", { name: "History" }).click();
      await page.getByRole("button", { name: "Text" }).waitFor();
      expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(writes ? 1 : 0);
      if (!writes) expect((await app.call("DELETE", "/v1/agents/main/files/a.md", undefined, key)).status).toBe(403);
    }
    await settled(page);
    // No visible part of the page has requested data that the key may not read.
    expect(page.refused).toEqual([]);
    expect(page.problems).toEqual([]);
    await page.context().close();
  });

  test.each([
    ["that reads", ["agent:read"], "/agents/support"],
    ["that only searches", ["search"], "/agents/support/search"],
  ])("a key of another agent than main %s is led to that agent, once", async (_, scopes, place) => {
    await operator.put("b.md", "A note on valves.", "support");
    const key = await operator.key(scopes, { agentId: "support" });
    for (const view of ["/", "/agents/main", "/agents/main/files"]) {
      const page = await openPage(browser, app.console, { key });
      const places: string[] = [];
      page.on("framenavigated", (frame) => places.push(frame.url()));
      await openView(page, view);
      await page.waitForURL(`**/console/#${place}`);
      await settled(page);
      // A page that keeps redirecting does not react to a click.
      await page.getByRole("link", { name: "Doctor" }).click({ timeout: 10_000 });
      await page.getByRole("heading", { name: "Doctor" }).waitFor({ timeout: 10_000 });
      expect(places.length).toBeLessThan(8);
      expect([page.problems, page.refused]).toEqual([[], []]);
      await page.context().close();
    }
  });

  test("a key is made with its scopes, shown once, works, and is refused once it is revoked by its name", async () => {
    const page = await openPage(browser, app.console, { key: await operator.key(["tenant"]) });
    await openView(page, "/operate/keys");
    await page.getByText("Make a key").click();
    await page.getByLabel("Name").fill("for the console");
    await page.getByRole("button", { name: "Make", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "The new key" });
    const made = (await dialog.locator("pre").textContent()) ?? "";
    expect((await app.call("GET", "/v1/key", undefined, made)).status).toBe(200);
    await page.keyboard.press("Escape");
    await page
      .getByRole("row", { name: /for the console/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    const revoke = page.getByRole("dialog").getByRole("button", { name: "Revoke" });
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByRole("dialog").getByRole("textbox").fill("for the console");
    await revoke.click();
    await page.getByText(/^revoked /).waitFor();
    expect((await app.call("GET", "/v1/key", undefined, made)).status).toBe(401);
    expect(await page.content()).not.toContain(made);
    await page.context().close();
  });
});
