import type { Command } from "commander";
import type { RecollectClient, Tenant } from "../../client/client.ts";
import { call, callList, PAGE_ROWS, table } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { addFleet } from "./fleet.ts";
import { addUsage } from "./usage.ts";

interface Entry {
  at: string;
  actor: string;
  action: string;
  target: string;
}

/** `recollect tenants …`, `usage`, `audit`, `fleet …` */
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
  addFleet(program, context, run);
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
