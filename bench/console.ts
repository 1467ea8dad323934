/**
 * Measures how soon the console shows what an agent knows: a browser with an empty cache loads the
 * overview, timed from the start of the navigation to the frame with the numbers.
 *
 *   [CHROME_PATH=…] node bench/console.ts [loads, default 15] [provider, default none]
 *
 * The service runs as it starts by default, on an embedded database in a temporary folder, with
 * 10,000 chunks. With the provider `builtin` the loads are measured twice: while the model embeds
 * the chunks on the same processor, and when that is done.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { createClient } from "../src/client/client.ts";
import { percentile } from "./support/figures.ts";

const LOADS = Number(process.argv[2] ?? 15);
const PROVIDER = process.argv[3] ?? "none";
const FILES = 10_000;
const BATCH = 100;
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`);

const folder = mkdtempSync(join(tmpdir(), "recollect-bench-"));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
let service: ChildProcess | undefined;
let browser: Browser | undefined;
try {
  service = spawn(process.execPath, ["src/start/cli.ts", "serve"], {
    env: {
      ...process.env,
      RECOLLECT_DATA_DIR: folder,
      RECOLLECT_PORT: port,
      RECOLLECT_PROVIDER: PROVIDER,
      RECOLLECT_LOG_LEVEL: "error",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await ready();
  await fill();
  const executablePath = process.env.CHROME_PATH ?? BROWSERS.find((path) => existsSync(path)) ?? "chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  // The first start of the browser process is not counted as a load of the page.
  await load(browser);
  if ((await pending()) > 0) {
    await measure(browser, "while they are embedded");
    while ((await pending()) > 0) await wait(1000);
  }
  await measure(browser, "at rest");
} finally {
  await browser?.close();
  service?.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(chrome: Browser, when: string): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < LOADS; i++) times.push(await load(chrome));
  const shown = [50, 95, 100].map((share) => `p${share} ${percentile(times, share / 100).toFixed(0)}`).join(" ");
  const left = await pending();
  console.log(`overview of ${FILES} chunks, ${when} (${left} left): ${shown} ms (${LOADS} loads)`);
}

async function pending(): Promise<number> {
  const { pendingEmbeddings, model } = await createClient({ url }).agent().status();
  return model === "none" ? 0 : pendingEmbeddings;
}

/** @returns milliseconds from the start of the navigation to the frame that shows the numbers */
async function load(chrome: Browser): Promise<number> {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(`window.shown = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("main .numbers dd")) return;
      observer.disconnect();
      // The second callback runs when the frame of the first has been drawn.
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });`);
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  // The debugger evaluates this, because the page's own policy forbids foreign scripts.
  const session = await context.newCDPSession(page);
  const expression = { expression: "shown", awaitPromise: true, returnByValue: true };
  const { result } = await session.send("Runtime.evaluate", expression);
  await context.close();
  return result.value as number;
}

async function fill(): Promise<void> {
  const { files } = createClient({ url }).agent();
  for (let from = 0; from < FILES; from += BATCH)
    await files.write({
      put: Array.from({ length: BATCH }, (_, offset) => {
        const number = String(from + offset).padStart(5, "0");
        const content = `# Note ${number}\n\nShelf ${number} holds the parts of pump ${number}.\n`;
        return { path: `notes/${number.slice(0, 2)}/${number}.md`, content };
      }),
    });
}

async function ready(): Promise<void> {
  while (
    !(await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await wait(100);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return String(typeof address === "object" ? address?.port : "");
}
