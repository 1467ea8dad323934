import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ImportReport } from "../../../src/features/imports/import-report.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { callUrl, type RunningCommand, runCommand, startServerProcess } from "../../support/process.ts";
import { until } from "../../support/until.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/** The number of conversations; bench/notes/sync.md has the figures of 10,000. */
const CONVERSATIONS = Number(process.env.RECOLLECT_IMPORT_CONVERSATIONS ?? 240);
const MESSAGES = 4;
/** The import is killed when these shares of it are stored. */
const KILLS = [0.25, 0.6];
const STEP = 500;
/**
 * The start of the process takes most of this memory. The size of the export must not add to it.
 */
const MOST_MEGABYTES = 400;

type Sessions = { sessions: { session: string; messages: number }[]; nextCursor?: string };

/** Yields an export as ChatGPT writes it, one conversation at a time. */
function* exported(): Generator<string> {
  for (let i = 0; i < CONVERSATIONS; i++) {
    const ids = Array.from({ length: MESSAGES }, (_, n) => `${i}-${n}`);
    const nodes = ids.map((id, n) => [
      id,
      {
        id,
        parent: ids[n - 1] ?? null,
        children: n + 1 < MESSAGES ? [ids[n + 1]] : [],
        message: {
          id,
          author: { role: n % 2 === 0 ? "user" : "assistant" },
          create_time: 1_700_000_000 + i * 60 + n,
          content: {
            content_type: "text",
            parts: [`Turn ${n} of conversation ${i}. ${"So much for that. ".repeat(60)}`],
          },
          metadata: {},
        },
      },
    ]);
    const conversation = { id: `c${i}`, current_node: ids.at(-1), mapping: Object.fromEntries(nodes) };
    yield `${i === 0 ? "[" : ",\n"}${JSON.stringify(conversation)}`;
  }
  yield "]";
}

describe("kill -9 of an import", () => {
  let database: TestDatabase;
  let folder: string;
  let server: RunningCommand & { url: string };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "recollect-import-"));
    database = await openTestDatabase();
    server = await startServerProcess({
      ...(database.url ? { DATABASE_URL: database.url } : {}),
      RECOLLECT_DATA_DIR: join(folder, "data"),
      RECOLLECT_ADMIN_KEY: ADMIN_KEY,
      RECOLLECT_PROVIDER: "none",
    });
  });
  afterEach(async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    await database.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const get = async <T>(path: string) => (await callUrl<T>(server.url, "GET", path, undefined, ADMIN_KEY)).body;
  const stored = async () => (await get<{ messages?: number }>("/v1/agents/main/status")).messages ?? 0;
  const start = () =>
    runCommand(["import", "chatgpt", join(folder, "conversations.json"), "--no-wait", "--no-capture", "--json"], {
      RECOLLECT_URL: server.url,
      RECOLLECT_API_KEY: ADMIN_KEY,
    });
  const sessions = async () => {
    const found: Sessions["sessions"] = [];
    for (let cursor = ""; ; ) {
      const page = await get<Sessions>(`/v1/agents/main/sessions?limit=1000${cursor}`);
      found.push(...page.sessions);
      if (page.nextCursor === undefined) return found;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  };

  test("each message is stored once, whenever it is killed; memory does not grow with the export", async () => {
    await pipeline(Readable.from(exported()), createWriteStream(join(folder, "conversations.json")));
    const total = CONVERSATIONS * MESSAGES;
    for (const share of KILLS) {
      const command = start();
      // Waits in steps, because each wait has a time limit.
      for (let least = STEP; least < total * share + STEP; least += STEP)
        await until(async () => (await stored()) >= Math.min(least, total * share), `${least} messages`);
      command.child.kill("SIGKILL");
      expect(await command.ended).toBeNull();
    }
    const before = await stored();
    expect(before).toBeLessThan(total);
    const command = start();
    const peak = watchMemory(command.child.pid);
    expect(await command.ended).toBe(0);
    const report = JSON.parse(command.output().stdout) as ImportReport;
    expect(report.messages).toMatchObject({ found: total, new: total - report.messages.known, tooOld: 0 });
    // A request of the killed command may have been carried out after its death.
    expect(report.messages.known).toBeGreaterThanOrEqual(before);
    expect(report.conversations.found).toBe(CONVERSATIONS);

    const found = await sessions();
    expect(found.map((one) => one.messages)).toEqual(Array.from({ length: CONVERSATIONS }, () => MESSAGES));
    const some = found.filter((_, index) => index % Math.ceil(CONVERSATIONS / 50) === 0);
    for (const { session } of some) {
      const page = await get<{ messages: { id: string }[] }>(`/v1/agents/main/sessions/${encodeURIComponent(session)}`);
      const [, number] = /^chatgpt:c(\d+)$/.exec(session) ?? [];
      expect(page.messages.map(({ id }) => id)).toEqual(Array.from({ length: MESSAGES }, (_, n) => `${number}-${n}`));
    }
    const again = start();
    expect(await again.ended).toBe(0);
    const second = JSON.parse(again.output().stdout) as ImportReport;
    expect(second.messages).toMatchObject({ new: 0, known: total });
    const { megabytes } = peak();
    if (megabytes !== undefined) expect(megabytes).toBeLessThan(MOST_MEGABYTES);
    process.stdout.write(
      `${CONVERSATIONS} conversations, ${report.messages.new} new messages in ${report.seconds.toFixed(0)} s; all known: ${second.seconds.toFixed(0)} s; peak ${megabytes ?? "?"} MB\n`,
    );
  });
});

/**
 * Follows the memory of a process.
 *
 * @returns a function that returns its peak so far; undefined if there is no /proc
 */
function watchMemory(pid: number | undefined): () => { megabytes: number | undefined } {
  let megabytes: number | undefined;
  const look = () => {
    try {
      const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      if (kilobytes !== undefined) megabytes = Math.round(Number(kilobytes) / 1024);
    } catch {
      clearInterval(timer);
    }
  };
  const timer = setInterval(look, 50);
  timer.unref();
  return () => ({ megabytes });
}
