import { type Command, Option } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import type { RecollectClient, Tenant } from "../../client/client.ts";
import { call, labelled, PAGE_ROWS } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { agentId, utcDay, wholeNumber } from "../shell/option-parsers.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { sizeText } from "../shell/size.ts";
import { table } from "../shell/table.ts";

interface UsageOptions extends AdminOptions {
  embeddings?: boolean;
  storage?: boolean;
  server?: boolean;
  limit?: number;
  from?: string;
  to?: string;
  agent?: string;
}

type Counted = "agents" | "files" | "bytes" | "chunks" | "facts";
const COUNTED: readonly Counted[] = ["agents", "files", "bytes", "chunks", "facts"];

interface TenantUsage extends Tenant {
  usage: Record<Counted, number>;
  effectiveLimits: Partial<Record<Counted | "requestsPerMinute", number>>;
}

interface EmbeddingUsage {
  entries: (Record<"day" | "agentId" | "provider" | "model" | "kind", string> &
    Record<"requests" | "texts" | "tokens", number> & { costNanoUsd: number | null })[];
  totals: { requests: number; texts: number; tokens: number; costNanoUsd: number; unpricedTokens: number };
  nextCursor?: string;
}

/** Adds the command `recollect usage`. */
export function addUsage(program: Command, context: CliContext, run: Run): void {
  administrative(program.command("usage"))
    .summary("limits, what agents hold, and what embeddings cost")
    .description(
      "a tenant's limits and the totals of its agents; with --embeddings their requests to embedding providers, with --storage their disk space",
    )
    .addHelpText(
      ...guide(
        [
          "recollect usage",
          "recollect usage --embeddings --from 2027-01-01 --agent support",
          "recollect usage --storage --server",
        ],
        "recollect agents list",
      ),
    )
    .option("--embeddings", "requests, tokens and cost by agent and day, of the last 30 days")
    .option("--from <day>", "with --embeddings: the first UTC day, such as 2027-01-31", utcDay)
    .option("--to <day>", "with --embeddings: the last UTC day", utcDay)
    .addOption(new Option("--storage", "disk space of the largest agents").conflicts("embeddings"))
    .addOption(
      new Option("--server", "with --storage: agents of all tenants, and what belongs to no agent").conflicts([
        "tenant",
        "agent",
      ]),
    )
    .option("--limit <n>", "with --storage: the number of agents, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--agent <id>", "with --embeddings or --storage: only of this agent", agentId)
    .action((options: UsageOptions) => {
      if (options.storage) return run(storage(context, options));
      if (!options.embeddings)
        return run(call(context, options, (client) => client.request<TenantUsage>("GET", "/v1/tenant"), tenantUsage));
      const { from, to, agent: agentId } = options;
      const query = { limit: PAGE_ROWS, from, to, agentId };
      const read = (client: RecollectClient) =>
        client.request<EmbeddingUsage>("GET", "/v1/usage/embeddings", { query });
      return run(call(context, options, read, embeddingUsage));
    });
}

function tenantUsage({ id, name, disabled, usage, effectiveLimits }: Partial<TenantUsage>, width?: number): string {
  const shown = (what: Counted, count: number | undefined) =>
    what === "bytes" && count !== undefined ? sizeText(count) : (count ?? null);
  const rows = COUNTED.map((what) => [what, shown(what, usage?.[what]), shown(what, effectiveLimits?.[what])]);
  const most = effectiveLimits?.requestsPerMinute;
  const head = labelled([
    ["tenant", name === undefined ? undefined : `${name} (${id})`],
    ["state", disabled ? "disabled" : undefined],
    ["rate", most === undefined ? undefined : `at most ${most} requests a minute`],
  ]);
  return `${head}\n${table(["", "used", "limit"], rows, width)}`;
}

function embeddingUsage({ entries, totals, nextCursor }: EmbeddingUsage, width?: number): string {
  const rows = entries.map((one) => [
    ...[one.day, one.agentId === "" ? "(erased)" : one.agentId, one.provider, one.model, one.kind],
    ...[one.requests, one.texts, one.tokens, one.costNanoUsd === null ? "unknown" : dollars(one.costNanoUsd)],
  ]);
  const { requests, texts, tokens, costNanoUsd, unpricedTokens } = totals;
  const head = ["day", "agent", "provider", "model", "kind", "requests", "texts", "tokens", "cost in USD"];
  const sum = ["total", "", "", "", "", requests, texts, tokens, dollars(costNanoUsd)];
  const unpriced = unpricedTokens > 0 ? `The price of ${countOf(unpricedTokens, "token")} is not known.\n` : "";
  const more = nextCursor === undefined ? "" : "Not all days are shown; narrow the period with --from and --to.\n";
  return `${table(head, [...rows, sum], width)}${unpriced}${more}`;
}

/**
 * Formats billionths of a dollar as dollars, without floating-point arithmetic. Cuts the last three
 * of the nine decimals.
 */
function dollars(nano: number): string {
  const digits = String(nano).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9, -3)}`;
}

async function storage(context: CliContext, options: UsageOptions): Promise<number> {
  const { storageUsage } = await import("./storage.ts");
  return storageUsage(context, options);
}
