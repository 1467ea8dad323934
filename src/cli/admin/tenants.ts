import { type Command, InvalidArgumentError } from "commander";
import type { RecollectClient, Tenant } from "../../client/client.ts";
import { call, callList, PAGE_ROWS, table } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { wholeNumber } from "../shell/option-parsers.ts";
import { printableLine } from "../shell/printable.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { addFleet } from "./fleet.ts";
import { addUsage } from "./usage.ts";

const LIMITS: readonly string[] = ["requestsPerMinute", "agents", "files", "bytes", "chunks", "facts"];

interface Entry {
  at: string;
  actor: string;
  action: string;
  target: string;
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
      return run(call(context, options, create, (tenant) => `${tenant.id}\n`));
    });
  administrative(tenants.command("limit").argument("<what>", "", limitName).argument("<most>", "", limitValue))
    .description("limit what a tenant may have, or the requests a minute of all its keys together")
    .addHelpText(
      ...guide(
        [
          "recollect tenants limit requestsPerMinute 6000 --tenant acme",
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
  addUsage(program, context, run);
  administrative(program.command("audit"))
    .summary("administrative actions")
    .description("a tenant's last 1,000 administrative actions, newest first")
    .addHelpText(...guide(["recollect audit", "recollect audit --json | jq '.entries[0]'"], "recollect keys list"))
    .action((options: AdminOptions) => {
      const read = (client: RecollectClient) =>
        client.request<{ entries: Entry[] }>("GET", "/v1/audit", { query: { limit: PAGE_ROWS } });
      return run(call(context, options, read, (answer) => acts(answer.entries)));
    });
  addFleet(program, context, run);
}

function limitName(text: string): string {
  if (LIMITS.includes(text)) return text;
  throw new InvalidArgumentError(`A tenant has the limits ${LIMITS.join(", ")}.`);
}

function limitValue(text: string): number | null {
  return text === "none" ? null : wholeNumber(0)(text);
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
