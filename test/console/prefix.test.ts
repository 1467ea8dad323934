import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { openBrowser, openPage, settled } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const PREFIX = "/memory";

describe("the console behind a path prefix", needsBrowser(), () => {
  let app: ConsoleApp;
  let proxy: Server;
  let browser: Browser;
  const asked: string[] = [];

  beforeAll(async () => {
    app = await startConsoleApp();
    await app.put("a.md", "A note on pumps.");
    proxy = createServer((incoming, outgoing) => {
      asked.push(incoming.url ?? "");
      if (!incoming.url?.startsWith(`${PREFIX}/`)) return void outgoing.writeHead(404).end();
      const { method, headers } = incoming;
      const onward = request(new URL(incoming.url.slice(PREFIX.length), app.console), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.closeAllConnections();
    await new Promise((resolve) => proxy?.close(resolve));
    await app?.drop();
  });

  test("`/` leads there, pages load and answer, and no request leaves the prefix", async () => {
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PREFIX}/`;
    const page = await openPage(browser, base);
    await page.goto("");
    expect(page.url()).toMatch(`${base}console/`);
    await settled(page);
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("treeitem", { name: /a\.md/ }).click();
    await page.getByText("A note on pumps.").waitFor();
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("Waiting for a change").waitFor();
    expect(asked.filter((path) => !path.startsWith(`${PREFIX}/`))).toEqual([]);
    expect([page.problems, page.strangers, page.refused]).toEqual([[], [], []]);
  });
});
