import { resolve } from "node:path";
import type { Command } from "commander";
import { valueAt } from "../../base/objects.ts";
import type { Agent, ErasureReceipt, RecollectClient } from "../../client/client.ts";
import { call, callList, fields } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { agentId, tenantName } from "../shell/option-parsers.ts";
import { printableLine } from "../shell/printable.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";

/** Adds the commands `recollect agents …`. */
export function addAgents(program: Command, context: CliContext, run: Run): void {
  const agents = program
    .command("agents")
    .description("agents of a tenant")
    .addHelpText(
      ...guide(
        [
          'recollect agents create support --name "Support"',
          "recollect agents set support query.maxResults 10",
          "recollect agents erase support --yes",
        ],
        "recollect sync <dir> --agent <id>",
      ),
    );
  administrative(agents.command("list"))
    .description("list agents with the size of their memory")
    .addHelpText(
      ...guide(
        ["recollect agents list", "recollect agents list --json | jq -r '.agents[].id'"],
        "recollect status --agent <id>",
      ),
    )
    .action((options: AdminOptions) => run(callList<Agent>(context, options, "agents", list)));
  administrative(agents.command("create").argument("<id>", "", agentId))
    .description("create an agent")
    .addHelpText(...guide(['recollect agents create support --name "Support"'], "recollect sync <dir> --agent <id>"))
    .option("--name <name>", "a display name")
    .action((id: string, options: AdminOptions & { name?: string }) => {
      const body = { id, ...(options.name === undefined ? {} : { name: options.name }) };
      const create = (client: RecollectClient) => client.request<Agent>("POST", "/v1/agents", { body });
      return run(call(context, { ...options, ifMissing: "create" }, create, (agent) => `Created ${agent.id}.\n`));
    });
  addSettings(agents, context, run);
  addEnds(agents, context, run);
}

function addSettings(agents: Command, context: CliContext, run: Run): void {
  administrative(agents.command("settings").argument("<id>", "", agentId))
    .description("the settings in effect and where each comes from")
    .addHelpText(...guide(["recollect agents settings support"], "recollect agents set <id> <key> <value>"))
    .action((id: string, options: AdminOptions) =>
      run(call(context, options, (client) => client.agent(id).settings(), origins)),
    );
  administrative(agents.command("set").argument("<id>", "", agentId).argument("<key>").argument("<value>"))
    .description("change one setting; null takes it back to its default")
    .addHelpText(
      ...guide(
        [
          "recollect agents set support query.maxResults 10",
          'recollect agents set support sources \'["memory", "facts"]\'',
          "recollect agents set support query.maxResults null    back to the default",
        ],
        "recollect agents settings <id>",
        "A value is read as JSON if it is valid JSON, else as text.",
      ),
    )
    .action((id: string, key: string, value: string, options: AdminOptions) =>
      run(change(context, options, id, { settings: nest(key, value) }, `Set ${key}.\n`)),
    );
}

function addEnds(agents: Command, context: CliContext, run: Run): void {
  for (const [verb, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    administrative(agents.command(verb).argument("<id>", "", agentId))
      .description(disabled ? "refuse all requests for an agent, and keep its memory" : "undo disable")
      .addHelpText(
        ...guide(
          [`recollect agents ${verb} support`],
          disabled ? "recollect agents enable <id>" : "recollect status --agent <id>",
        ),
      )
      .action((id: string, options: AdminOptions) =>
        run(change(context, options, id, { disabled }, `The agent ${id} is ${verb}d.\n`)),
      );
  }
  addRestore(agents, context, run);
  destructive(administrative(agents.command("erase").argument("<id>", "", agentId)))
    .description("erase an agent for good and print the receipt")
    .addHelpText(...guide(["recollect agents erase support --yes"], "recollect audit"))
    .action((id: string, options: AdminOptions, command: Command) => {
      const erase = (client: RecollectClient) =>
        client.request<ErasureReceipt>("DELETE", `/v1/agents/${encodeURIComponent(id)}`);
      const act = () => call(context, { ...options, irreversible: true }, erase, receipt);
      return run(confirmed(context, command, `Erase the agent ${id} with all its memory?`, act));
    });
}

interface RestoreOptions {
  from: string;
  tenant?: string;
  json?: boolean;
}

function addRestore(agents: Command, context: CliContext, run: Run): void {
  const restore = agents.command("restore").argument("<id>", "", agentId);
  destructive(restore.option("--json", "print one JSON object"))
    .description("restore an agent's memory from a dump of the database (needs DATABASE_URL)")
    .addHelpText(
      ...guide(
        [
          "recollect agents restore support --from recollect.dump",
          "pg_restore … | recollect agents restore support --from - --yes",
        ],
        "recollect status --agent <id>",
        "The dump is made by pg_dump, of the whole database or of the agent's schema. The restore is all or nothing, and replaces the agent's present memory.",
      ),
    )
    .requiredOption("--from <file>", "the dump; - for SQL on standard input")
    .option("--tenant <name>", "the agent's tenant, by name or id", tenantName)
    .action((agent: string, { from, tenant, json }: RestoreOptions, command: Command) => {
      const file = from === "-" ? from : resolve(context.cwd, from);
      const act = async () => {
        const report = await context.restoreAgent({ agent, tenant, from: file });
        const state = report.enabled ? "" : " It was disabled and still is; enable it with recollect agents enable.";
        context.stdout.write(json ? `${JSON.stringify(report)}\n` : `The agent ${agent} is restored.${state}\n`);
        return 0;
      };
      return run(confirmed(context, command, `Replace all that the agent ${agent} remembers?`, act));
    });
}

function change(context: CliContext, options: AdminOptions, id: string, body: object, done: string): Promise<number> {
  return call(
    context,
    options,
    (client) => client.agents.change(id, body),
    ({ warnings = [] }) => {
      for (const warning of warnings) context.stderr.write(`This setting has no effect: ${printableLine(warning)}.\n`);
      return warnings.length > 0 ? "" : done;
    },
  );
}

/**
 * Nests a setting: `query.maxResults` and `8` become `{ query: { maxResults: 8 } }`. A value that
 * is not JSON is taken as text.
 */
function nest(path: string, text: string): object {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // The value is plain text, such as `rrf`.
  }
  return path.split(".").reduceRight<object>((inner, key) => ({ [key]: inner }), value as object);
}

function list(agents: readonly Agent[], width?: number): string {
  return table(
    ["id", "name", "status", "files", "chunks", "bytes"],
    agents.map(({ id, name, status, usage }) => [id, name, status, usage.files, usage.chunks, usage.bytes]),
    width,
  );
}

function origins(answer: { settings: object; origins: Record<string, string> }, width?: number): string {
  return table(
    ["setting", "value", "from"],
    Object.entries(answer.origins).map(([path, origin]) => [
      path,
      JSON.stringify(valueAt(answer.settings, path)) ?? "–",
      origin,
    ]),
    width,
  );
}

function receipt({ pathHashes, nextCursor, ...rest }: ErasureReceipt): string {
  const which = nextCursor === undefined ? "hashes" : "of the hashes";
  return fields({ ...rest, paths: `${pathHashes.length} ${which}, shown with --json` });
}
