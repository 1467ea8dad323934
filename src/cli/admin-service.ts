import type { Command } from "commander";
import { type AdminOptions, call, callList, fields, table } from "./call.ts";
import type { CliContext } from "./context.ts";
import { administrative, type Run } from "./run.ts";

interface Tenant {
  id: string;
  name: string;
  disabled: boolean;
}

interface Entry {
  at: string;
  actor: string;
  action: string;
  target: string;
}

/** `recollect tenants …`, `audit`, `fleet …` */
export function addService(program: Command, context: CliContext, run: Run): void {
  const tenants = program.command("tenants").description("tenants of the service (operator only)");
  administrative(tenants.command("list"))
    .description("list tenants")
    .action((options: AdminOptions) => run(callList<Tenant>(context, options, "tenants", list)));
  administrative(tenants.command("create").argument("<name>"))
    .description("create a tenant and print its id")
    .action((name: string, options: AdminOptions) => {
      const request = { method: "POST", path: "/v1/tenants", body: { name } };
      return run(call<Tenant>(context, options, request, (tenant) => `${tenant.id}\n`));
    });
  administrative(program.command("usage"))
    .description("a tenant's limits and what its agents amount to")
    .action((options: AdminOptions) =>
      run(call<object>(context, options, { method: "GET", path: "/v1/tenant" }, fields)),
    );
  administrative(program.command("audit"))
    .description("a tenant's last 1,000 administrative acts, newest first")
    .action((options: AdminOptions) => {
      const request = { method: "GET", path: "/v1/audit?limit=1000" };
      return run(call<{ entries: Entry[] }>(context, options, request, (answer) => acts(answer.entries)));
    });
  const fleet = program.command("fleet").description("schema versions of all agents (operator only)");
  administrative(fleet.command("status"))
    .description("how far the migration is, and which agents failed")
    .action((options: AdminOptions) =>
      run(call<object>(context, options, { method: "GET", path: "/v1/fleet" }, fields)),
    );
  administrative(fleet.command("migrate"))
    .description("migrate what is behind, failed agents included, in the background")
    .action((options: AdminOptions) =>
      run(call<object>(context, options, { method: "POST", path: "/v1/fleet/migrate", body: {} }, fields)),
    );
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
