import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlExecutor } from "../../src/db/database.ts";
import { runCaptured } from "./cli-harness.ts";
import { type Access, type ClientLog, type CrashClient, insist, pause } from "./crash-client.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A folder that changes and is synced by the CLI, again and again until it says that it has succeeded. */
export function crashFolder(
  agent: string,
  access: Access,
  random: SeededRandom,
): CrashClient & { finish(): Promise<void>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "recollect-crash-"));
  const contents = new Map<string, string>();
  let serial = 0;
  const change = () => {
    for (let i = random.between(1, 6); i > 0; i--) {
      const name = `f${random.between(1, 15)}.md`;
      if (contents.size > 5 && random.chance(0.25)) {
        contents.delete(name);
        rmSync(join(folder, name), { force: true });
      } else {
        const parts = Array.from({ length: random.between(1, 6) }, () => `# ${agent} ${++serial}\n\nLine ${serial}.\n`);
        contents.set(name, parts.join(""));
        writeFileSync(join(folder, name), parts.join(""));
      }
    }
  };
  const sync = async () => {
    const connect = async () => ({
      fetch: (path: string, init?: RequestInit) => {
        const headers = new Headers(init?.headers);
        headers.set("authorization", `Bearer ${access.key}`);
        return fetch(new URL(path, access.url), { ...init, headers });
      },
      close: async () => undefined,
      description: access.url,
    });
    return (await runCaptured(["sync", ".", "--no-wait", "--agent", agent], { connect, cwd: folder })).code;
  };
  return {
    step: async () => {
      change();
      await sync();
      await pause(random.between(50, 400));
    },
    finish: async () => {
      while ((await sync()) !== 0) await pause(100);
    },
    check: async (db) => {
      const { rows } = await db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
        [agent],
      );
      const stored = await db.executeSql<{ path: string; content: string }>(
        `SELECT path, content FROM ${rows[0]?.schema}.files`,
      );
      const [is, should] = [stored.rows.map((row) => [row.path, row.content] as const), [...contents]].map((entries) =>
        JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      );
      return is === should ? [] : [`${agent}: is not the folder that was synced`];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Creates an agent, writes to it and erases it, over and over: of none may anything be left. */
export function crashVisitor(access: Access, random: SeededRandom, log: ClientLog): CrashClient {
  let serial = 0;
  return {
    step: async () => {
      const path = `/v1/agents/visitor-${++serial}`;
      await insist(
        access,
        log,
        { method: "POST", path: "/v1/agents", body: { id: `visitor-${serial}` } },
        [200, 201, 409],
      );
      const body = { content: `Visitor ${serial} was here.` };
      await insist(access, log, { method: "PUT", path: `${path}/files/a.md`, body }, [200, 201]);
      await insist(access, log, { method: "DELETE", path }, [200, 404]);
      await pause(random.between(100, 500));
    },
    check: async (db: SqlExecutor) => {
      const { rows } = await db.executeSql("SELECT id FROM recollect.agents WHERE id LIKE 'visitor-%'");
      return rows.length === 0 ? [] : [`${rows.length} erased agents are still there`];
    },
  };
}
