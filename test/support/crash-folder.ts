import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCaptured } from "./cli-harness.ts";
import { storedAgent } from "./crash-client.ts";
import { createLedger, type Value } from "./crash-ledger.ts";
import { type Access, type ClientLog, insist, pause } from "./crash-request.ts";
import type { CrashClient } from "./crash-writer.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * Makes a client that changes a folder and syncs it with the CLI, until a sync succeeds; then it
 * changes the folder again.
 */
export function crashFolder(agent: string, access: Access, random: SeededRandom): CrashClient & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "recollect-crash-"));
  const ledger = createLedger(agent);
  const contents = new Map<string, string>();
  let serial = 0;
  const change = () => {
    const wanted = new Map<string, Value>();
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
      wanted.set(name, contents.get(name));
    }
    return wanted;
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
    ledger,
    step: async () => {
      const request = { method: "SYNC", path: folder };
      const attempt = ledger.begin({ wanted: change(), request, judge: () => undefined });
      while ((await sync()) !== 0) await pause(100);
      ledger.acknowledge(attempt);
      await pause(random.between(50, 400));
    },
    check: async (db) => {
      const { schema } = await storedAgent(db, agent);
      const { rows } = await db.executeSql<{ path: string; content: string }>(
        `SELECT path, content FROM ${schema}.files`,
      );
      return ledger.compare(new Map(rows.map(({ path, content }) => [path, content])));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Makes a client that creates an agent, writes to it and erases it, over and over. Nothing of an
 * erased agent may be left.
 */
export function crashVisitor(access: Access, random: SeededRandom, log: ClientLog): CrashClient {
  let serial = 0;
  return {
    step: async () => {
      const id = `visitor-${++serial}`;
      const path = `/v1/agents/${id}`;
      await insist(access, log, { method: "POST", path: "/v1/agents", body: { id } }, [201], [409]);
      const body = { content: `Visitor ${serial} was here.` };
      await insist(access, log, { method: "PUT", path: `${path}/files/a.md`, body });
      await insist(access, log, { method: "DELETE", path }, [200], [404]);
      await pause(random.between(100, 500));
    },
    check: async (db) => {
      const { rows } = await db.executeSql("SELECT id FROM recollect.agents WHERE id LIKE 'visitor-%'");
      return rows.length === 0 ? [] : [`${rows.length} erased agents are still there`];
    },
  };
}
