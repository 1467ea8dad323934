import { fileURLToPath } from "node:url";
import { DAY_MS } from "../base/clock.ts";
import { runCli } from "../cli/run-cli.ts";
import type { Config } from "../config/config.ts";
import { createKey } from "../service/admin/manage-keys.ts";
import { LOCAL_CALLER } from "../service/core/authenticate.ts";
import { processContext } from "./process-context.ts";
import { type Server, startServer } from "./server.ts";
import { stopSignal } from "./shutdown.ts";
import { typedCommand } from "./typed-command.ts";
import { VERSION } from "./version.ts";

const CONVERSATION = fileURLToPath(new URL("../../examples/monday.jsonl", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../examples/workspace", import.meta.url));
const QUESTION = "why did we move the billing job off cron?";

/**
 * Runs `npm start`: serves the API, stores a short conversation and finds it again, syncs the
 * example workspace into the agent `main`, shows one search and one get with their results, and
 * goes on serving.
 */
export async function startTour(config: Config): Promise<number> {
  const stopping = stopSignal();
  const server = await startServer(config, { worker: true, quiet: true });
  const key = await keyForTour(config, server);
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const print = (text: string) => process.stdout.write(text);
  const command = async (...argv: string[]) => {
    print(`\n$ recollect ${argv.map((word) => (/[^\w./-]/.test(word) ? JSON.stringify(word) : word)).join(" ")}\n`);
    // The origin has a fixed name, so the example counts as the same folder wherever this version
    // of the package is installed.
    return runCli(argv[0] === "sync" ? [...argv, "--origin", "recollect examples"] : argv, {
      ...processContext(),
      connect: async () => ({
        fetch: (path, init) => {
          const headers = { ...(init?.headers as Record<string, string>), ...authorization };
          return fetch(new URL(path, server.url), { ...init, headers });
        },
        close: async () => undefined,
        description: server.url,
      }),
      serve: async () => 1,
      work: async () => 1,
      migrate: async () => 1,
      cluster: async () => ({ version: "", workers: [] }),
      restoreAgent: async ({ agent }) => ({ agent, schemaVersion: 0, enabled: true }),
      start: async () => 1,
      serveMcp: async () => undefined,
      stopping: () => new AbortController().signal,
    });
  };
  const { model } = server.runtime.embedding;
  print(
    `Recollect ${VERSION} · ${server.runtime.deps.db.kind} · ${model === "none" ? "keyword search only" : model}\n`,
  );
  const remembered = [
    await command("sessions", "add", CONVERSATION, "--session", "monday"),
    await command("search", "what is my name?", "--max-results", "1"),
  ];
  // The sync's exit code is ignored: existing files that somebody else wrote stay unchanged.
  await command("sync", WORKSPACE);
  const codes = [
    ...remembered,
    await command("search", QUESTION, "--max-results", "3"),
    await command("get", "MEMORY.md", "--lines", "12"),
  ];
  if (codes.some((code) => code !== 0)) {
    await server.stop();
    return 1;
  }
  print(nextSteps(server.url, key));
  await stopping;
  await server.stop();
  return 0;
}

/**
 * Returns the key for the tour's requests. On Postgres every request needs one: the operator's key,
 * or a new one for a day.
 */
async function keyForTour(config: Config, server: Server): Promise<string | undefined> {
  if (config.databaseUrl === undefined) return undefined;
  if (config.adminKey !== undefined) return config.adminKey;
  const expiresAt = new Date(Date.now() + DAY_MS);
  const { key } = await createKey(server.runtime.deps, LOCAL_CALLER, { name: "tour", scopes: ["tenant"], expiresAt });
  return key;
}

function nextSteps(url: string, key: string | undefined): string {
  const agent = `${url}/v1/agents/main`;
  const auth = key === undefined ? "" : ' -H "authorization: Bearer $KEY"';
  const keyLine = key === undefined ? "" : `KEY=${key}\n`;
  return `
The API keeps serving at ${url} (Ctrl-C stops it), the console at ${url}/console/. Go on with:

${keyLine}curl -s ${agent}/sessions/wednesday/messages${auth} -H 'content-type: application/json' -d '{"messages": [{"role": "user", "content": "The dentist has moved to Thursday at ten."}]}'
curl -s ${agent}/tools/memory_search${auth} -H 'content-type: application/json' -d '{"query": "when is the dentist?"}'
curl -s ${agent}/tools/memory_get${auth} -H 'content-type: application/json' -d '{"path": "MEMORY.md", "from": 1, "lines": 20}'
curl -s -X PUT ${agent}/files/memory/today.md${auth} -H 'content-type: application/json' -d '{"content": "# Today\\nMina is back on Monday."}'
curl -s ${agent}/files${auth}
curl -s ${agent}/status${auth}

Sync a folder of your own:  ${typedCommand(process.cwd())} sync ~/notes --agent notes
`;
}
