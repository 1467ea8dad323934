import { type Command, InvalidArgumentError } from "commander";
import { isObject } from "../../base/objects.ts";
import type { RecollectClient, Tenant } from "../../client/client.ts";
import { call, callList, PAGE_ROWS } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import { connected } from "../shell/connected.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { amount, tenantName } from "../shell/option-parsers.ts";
import { printableLine } from "../shell/printable.ts";
import { administrative, connecting, type Run } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";
import { addFleet } from "./fleet.ts";
import { addUsage } from "./usage.ts";

const LIMITS: readonly string[] = ["requestsPerMinute", "agents", "files", "bytes", "chunks", "facts"];

interface Entry {
  at: string;
  actor: string;
  action: string;
  target: string;
  details?: Readonly<Record<string, unknown>>;
}

/** Adds the commands `recollect tenants …`, `usage`, `audit` and `fleet …`. */
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
      return run(call(context, { ...options, ifMissing: "create" }, create, (tenant) => `${tenant.id}\n`));
    });
  administrative(tenants.command("limit").argument("<what>", "", limitName).argument("<most>", "", limitValue))
    .description("limit what a tenant may have, or the requests a minute of all its keys together")
    .addHelpText(
      ...guide(
        [
          "recollect tenants limit requestsPerMinute 6000 --tenant acme",
          "recollect tenants limit bytes 10GB --tenant acme",
          "recollect tenants limit bytes none --tenant acme    back to the default",
        ],
        "recollect usage --tenant <name>",
      ),
    )
    .action((what: string, most: number | null, options: AdminOptions) => {
      const change = (client: RecollectClient) =>
        client.request<Tenant>("PATCH", "/v1/tenant", { body: { limits: { [what]: most } } });
      return run(call(context, options, change, ({ name }) => `Set the limit ${what} of ${printableLine(name)}.\n`));
    });
  addDisable(tenants, context, run);
  addErase(tenants, context, run);
  addUsage(program, context, run);
  administrative(program.command("audit"))
    .summary("administrative actions")
    .description("a tenant's last 1,000 administrative actions, newest first")
    .addHelpText(...guide(["recollect audit", "recollect audit --json | jq '.entries[0]'"], "recollect keys list"))
    .action((options: AdminOptions) => {
      const read = (client: RecollectClient) =>
        client.request<{ entries: Entry[] }>("GET", "/v1/audit", { query: { limit: PAGE_ROWS } });
      return run(call(context, options, read, (answer, width) => acts(answer.entries, width)));
    });
  addFleet(program, context, run);
}

function addDisable(tenants: Command, context: CliContext, run: Run): void {
  for (const [verb, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    connecting(tenants.command(verb).argument("<tenant>", "its name or id", tenantName))
      .option("--json", "print one JSON object")
      .description(disabled ? "refuse all keys of a tenant, and keep its memory" : "undo disable")
      .addHelpText(
        ...guide(
          [`recollect tenants ${verb} acme`],
          disabled ? "recollect tenants enable <tenant>" : "recollect usage --tenant <tenant>",
        ),
      )
      .action((tenant: string, options: AdminOptions) => {
        const change = (client: RecollectClient) =>
          client.request<Tenant>("PATCH", "/v1/tenant", { body: { disabled } });
        const said = ({ name }: Tenant) => `The tenant ${printableLine(name)} is ${verb}d.\n`;
        return run(call(context, { ...options, tenant }, change, said));
      });
  }
}

function limitName(text: string): string {
  if (LIMITS.includes(text)) return text;
  throw new InvalidArgumentError(`A tenant has the limits ${LIMITS.join(", ")}.`);
}

function limitValue(text: string): number | null {
  return text === "none" ? null : amount(text);
}

function list(tenants: readonly Tenant[], width?: number): string {
  return table(
    ["id", "name", "state"],
    tenants.map(({ id, name, disabled }) => [id, name, disabled ? "disabled" : "active"]),
    width,
  );
}

function acts(entries: readonly Entry[], width?: number): string {
  return table(
    ["at", "actor", "action", "target", "changed"],
    entries.map(({ at, actor, action, target, details }) => [at, actor, action, target, changedText(details)]),
    width,
  );
}

/**
 * Returns what an act has changed: the names, with the values before and after as far as the entry has
 * them. It has no values of settings, which may be secrets.
 */
function changedText({ changed, before, after }: Readonly<Record<string, unknown>> = {}): string {
  if (!Array.isArray(changed)) return "";
  const told = (path: string) =>
    isObject(before) && isObject(after) && path in after
      ? `${path}: ${text(before[path])} → ${text(after[path])}`
      : path;
  return changed.map(told).join(", ");
}

function text(value: unknown): string {
  return value === null || value === undefined ? "default" : JSON.stringify(value);
}

function addErase(tenants: Command, context: CliContext, run: Run): void {
  const erase = tenants.command("erase").argument("<tenant>", "its name or id", tenantName);
  destructive(connecting(erase).option("--json", "print one JSON object"))
    .description("erase a tenant for good, with its agents and keys, and print the receipt")
    .addHelpText(
      ...guide(
        ["recollect tenants erase acme", "recollect tenants erase acme --yes --json > receipt.json"],
        "recollect audit --tenant <id>",
        "The tenant is disabled first. If the command is interrupted, run it again.",
      ),
    )
    .action((tenant: string, options: AdminOptions, command: Command) => {
      const act = () =>
        connected(context, { ...options, tenant, irreversible: true }, async (service) => {
          const { eraseTenant } = await import("./erase-tenant.ts");
          return eraseTenant(context, options, service);
        });
      return run(confirmed(context, command, `Erase the tenant ${tenant} with all its agents and keys?`, act));
    });
}
