import type { Command } from "commander";
import type { RecollectClient, Tenant } from "../../client/client.ts";
import { call, callList, fields, PAGE_ROWS, table } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { agentId, utcDay } from "../shell/option-parsers.ts";
import { administrative, type Run } from "../shell/shared-options.ts";

interface Entry {
  at: string;
  actor: string;
  action: string;
  target: string;
}

/** `recollect tenants …`, `audit`, `fleet …` */
export function addService(program: Command, context: CliContext, run: Run): void {
  const tenants = program
    .command("tenants")
    .description("tenants of the service (operator only)")
    .addHelpText(
      ...guide(
        ["recollect tenants create acme", "recollect tenants list"],
        "recollect keys create <name> --scope tenant --tenant <tenant>",
      ),
    );
  administrative(tenants.command("list"))
    .description("list tenants")
    .addHelpText(...guide(["recollect tenants list"], "recollect usage --tenant <name>"))
    .action((options: AdminOptions) => run(callList<Tenant>(context, options, "tenants", list)));
  administrative(tenants.command("create").argument("<name>"))
    .description("create a tenant and print its id")
    .addHelpText(
      ...guide(["recollect tenants create acme"], "recollect keys create <name> --scope tenant --tenant <tenant>"),
    )
    .action((name: string, options: AdminOptions) => {
      const create = (client: RecollectClient) => client.request<Tenant>("POST", "/v1/tenants", { body: { name } });
      return run(call(context, options, create, (tenant) => `${tenant.id}\n`));
    });
  addUsage(program, context, run);
  administrative(program.command("audit"))
    .summary("who did what")
    .description("a tenant's last 1,000 administrative acts, newest first")
    .addHelpText(...guide(["recollect audit", "recollect audit --json | jq '.entries[0]'"], "recollect keys list"))
    .action((options: AdminOptions) => {
      const read = (client: RecollectClient) =>
        client.request<{ entries: Entry[] }>("GET", "/v1/audit", { query: { limit: PAGE_ROWS } });
      return run(call(context, options, read, (answer) => acts(answer.entries)));
    });
  const fleet = program
    .command("fleet")
    .description("schema versions of all agents (operator only)")
    .addHelpText(...guide(["recollect fleet status", "recollect fleet migrate"], "recollect doctor"));
  administrative(fleet.command("status"))
    .description("how far the migration is, and which agents failed")
    .addHelpText(...guide(["recollect fleet status"], "recollect fleet migrate"))
    .action((options: AdminOptions) =>
      run(call(context, options, (client) => client.request<object>("GET", "/v1/fleet"), fields)),
    );
  administrative(fleet.command("migrate"))
    .description("migrate what is behind, failed agents included, in the background")
    .addHelpText(...guide(["recollect fleet migrate"], "recollect fleet status"))
    .action((options: AdminOptions) => {
      const migrate = (client: RecollectClient) => client.request<object>("POST", "/v1/fleet/migrate", { body: {} });
      return run(call(context, options, migrate, fields));
    });
}

interface UsageOptions extends AdminOptions {
  embeddings?: boolean;
  from?: string;
  to?: string;
  agent?: string;
}

interface EmbeddingUsage {
  entries: (Record<"day" | "agentId" | "provider" | "model" | "kind", string> &
    Record<"requests" | "texts" | "tokens", number> & { costNanoUsd: number | null })[];
  totals: { requests: number; texts: number; tokens: number; costNanoUsd: number; unpricedTokens: number };
  nextCursor?: string;
}

function addUsage(program: Command, context: CliContext, run: Run): void {
  administrative(program.command("usage"))
    .summary("limits, what agents hold, and what embeddings cost")
    .description("a tenant's limits and what its agents amount to, or with --embeddings what they asked of providers")
    .addHelpText(
      ...guide(
        ["recollect usage", "recollect usage --embeddings --from 2027-01-01 --agent support"],
        "recollect agents list",
      ),
    )
    .option("--embeddings", "requests, tokens and cost by agent and day, of the last 30 days")
    .option("--from <day>", "with --embeddings: the first UTC day, such as 2027-01-31", utcDay)
    .option("--to <day>", "with --embeddings: the last UTC day", utcDay)
    .option("--agent <id>", "with --embeddings: of one agent only", agentId)
    .action((options: UsageOptions) => {
      if (!options.embeddings)
        return run(call(context, options, (client) => client.request<object>("GET", "/v1/tenant"), fields));
      const { from, to, agent: agentId } = options;
      const query = { limit: PAGE_ROWS, from, to, agentId };
      const read = (client: RecollectClient) =>
        client.request<EmbeddingUsage>("GET", "/v1/usage/embeddings", { query });
      return run(call(context, options, read, embeddingUsage));
    });
}

function embeddingUsage({ entries, totals, nextCursor }: EmbeddingUsage): string {
  const rows = entries.map((one) => [
    ...[one.day, one.agentId === "" ? "(erased)" : one.agentId, one.provider, one.model, one.kind],
    ...[one.requests, one.texts, one.tokens, one.costNanoUsd === null ? "unknown" : dollars(one.costNanoUsd)],
  ]);
  const { requests, texts, tokens, costNanoUsd, unpricedTokens } = totals;
  const head = ["day", "agent", "provider", "model", "kind", "requests", "texts", "tokens", "cost in USD"];
  const sum = ["total", "", "", "", "", requests, texts, tokens, dollars(costNanoUsd)];
  const unpriced = unpricedTokens > 0 ? `The price of ${unpricedTokens} tokens is not known.\n` : "";
  const more =
    nextCursor === undefined ? "" : "There are more days than are shown; narrow them with --from and --to.\n";
  return `${table(head, [...rows, sum])}${unpriced}${more}`;
}

/** Billionths of a dollar as dollars, without a float in between. */
function dollars(nano: number): string {
  const digits = String(nano).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9, -3)}`;
}

function list(tenants: readonly Tenant[]): string {
  return table(
    ["id", "name", "state"],
    tenants.map(({ id, name, disabled }) => [id, name, disabled ? "disabled" : "active"]),
  );
}

function acts(entries: readonly Entry[]): string {
  return table(
    ["at", "actor", "action", "target"],
    entries.map(({ at, actor, action, target }) => [at, actor, action, target]),
  );
}
