import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { axeViolations, openBrowser, openPage, openView, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const READ = [
  ...["Home", "Memories", "Conversations", "Files", "Search", "Evaluations", "Activity", "Versions", "Agent settings"],
];
const WORKSPACE = ["Overview", "Agents", "Access", "Health", "Usage", "Audit", "Message routing"];

interface KeyCase {
  scopes: string[];
  agentId?: string;
  /** The places of an agent that the console offers. */
  pages: string[];
  /** The places of the workspace that it offers. */
  workspace: string[];
  /** Pages that are not offered, by address, each with a request that the service refuses. */
  refused: { view: string; method: string; path: string }[];
  writes: boolean;
}

const KEYS = { view: "/workspace/access", method: "GET", path: "/v1/keys" };
const TENANTS = { view: "/workspace/access?view=tenants", method: "GET", path: "/v1/tenants" };
const FILES = { view: "/agents/main/files", method: "GET", path: "/v1/agents/main/files" };

const CASES: [string, KeyCase][] = [
  [
    "search",
    {
      scopes: ["search"],
      pages: ["Search", "Evaluations"],
      workspace: ["Health"],
      refused: [FILES, KEYS, TENANTS],
      writes: false,
    },
  ],
  [
    "agent:read",
    {
      scopes: ["agent:read"],
      pages: READ,
      workspace: ["Agents", "Health", "Message routing"],
      refused: [KEYS, TENANTS],
      writes: false,
    },
  ],
  [
    "agent:write alone",
    { scopes: ["agent:write"], pages: [], workspace: [], refused: [FILES, KEYS, TENANTS], writes: false },
  ],
  [
    "agent:read and agent:write",
    {
      scopes: ["agent:read", "agent:write"],
      pages: READ,
      workspace: ["Agents", "Health", "Message routing"],
      refused: [KEYS, TENANTS],
      writes: true,
    },
  ],
  [
    "read and write of one agent",
    {
      scopes: ["agent:read", "agent:write"],
      agentId: "main",
      pages: READ,
      workspace: ["Health"],
      refused: [KEYS, TENANTS],
      writes: true,
    },
  ],
  ["tenant", { scopes: ["tenant"], pages: READ, workspace: WORKSPACE, refused: [TENANTS], writes: true }],
  ["admin", { scopes: ["admin"], pages: READ, workspace: WORKSPACE, refused: [], writes: true }],
];

describe("the console with a key", needsBrowser(), () => {
  let operator: TestApp;
  let app: ConsoleApp;
  let browser: Browser;

  /** Returns the names of the places in the navigation; counts beside them are not names. */
  const placesOf = (page: Page) =>
    page
      .getByRole("navigation")
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.querySelector("span")?.textContent ?? ""));

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
    await page.getByRole("link", { name: "Workspace" }).waitFor();
    // The refusals before the key was given must not ask for another key over the page.
    await settled(page);
    expect(await page.getByRole("dialog", { name: "Sign in again" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("link", { name: "Workspace" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(app.console);
    await other.getByLabel("API key").waitFor();
    await page.getByRole("button", { name: /^Key .* · / }).click();
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
    const workspace = one.workspace.length > 0 ? ["Workspace"] : [];
    expect(await placesOf(page)).toEqual([...pages, ...workspace]);
    expect(await axeViolations(page)).toEqual([]);
    await openView(page, "/workspace/health");
    expect(await placesOf(page)).toEqual(["Back to main", ...one.workspace]);
    expect(await axeViolations(page)).toEqual([]);
    for (const { view, method, path } of refused) {
      await openView(page, view);
      await page.getByText(/^Your key (may not see this|is bound to one agent)/).waitFor();
      expect((await app.call(method, path, undefined, key)).status).toBe(403);
    }
    if (pages.includes("Files")) {
      await openView(page, "/agents/main/files?path=a.md");
      await page.getByText("A note on pumps.").waitFor();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menu").waitFor();
      expect(await page.getByRole("menuitem", { name: "Delete", exact: true }).count()).toBe(writes ? 1 : 0);
      await page.keyboard.press("Escape");
      expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(writes ? 1 : 0);
      await page.getByRole("tab", { name: "Versions" }).click();
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
      await page.getByRole("link", { name: "Workspace" }).click({ timeout: 10_000 });
      await page.getByRole("heading", { name: "Health" }).waitFor({ timeout: 10_000 });
      expect(places.length).toBeLessThan(8);
      expect([page.problems, page.refused]).toEqual([[], []]);
      await page.context().close();
    }
  });

  test("a key is made with scopes, expiry and limit, shown once, works, and is refused once it is revoked", async () => {
    const page = await openPage(browser, app.console, {
      key: await operator.key(["tenant"]),
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await openView(page, "/workspace/access");
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create key" });
    await form.getByLabel("Name").fill("for the console");
    await form.getByRole("checkbox", { name: /^agent:read/ }).check();
    await form.getByLabel("Expires").selectOption("in 30 days");
    await form.getByLabel("Requests a minute").fill("120");
    expect(await axeViolations(page)).toEqual([]);
    await form.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "The new key" });
    const made = (await dialog.locator("pre").first().textContent()) ?? "";
    expect((await app.call("GET", "/v1/key", undefined, made)).status).toBe(200);
    await dialog.getByRole("button", { name: "Copy" }).first().click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(made);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const { body } = await operator.call<{ keys: Record<string, unknown>[] }>("GET", "/v1/keys?limit=1000");
    const stored = body.keys.find(({ name }) => name === "for the console");
    expect(stored).toMatchObject({ scopes: ["search", "agent:read"], requestsPerMinute: 120 });
    const days = (Date.parse(String(stored?.expiresAt)) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29);
    expect(days).toBeLessThan(31);
    const row = page.getByRole("row", { name: /for the console/ });
    await row.getByRole("button", { name: "Actions for the key for the console" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page
      .getByRole("dialog")
      .getByText(/^Revoke “for the console”\?/)
      .waitFor();
    expect((await app.call("GET", "/v1/key", undefined, made)).status).toBe(200);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => row.count()).toBe(0);
    await page.getByRole("button", { name: "Include revoked and expired" }).click();
    await row.getByText(/^revoked /).waitFor();
    expect((await app.call("GET", "/v1/key", undefined, made)).status).toBe(401);
    expect(await page.content()).not.toContain(made);
    expect(page.problems).toEqual([]);
    await page.context().close();
  });
});
