import { type Command, InvalidArgumentError } from "commander";
import { AppError } from "../../base/errors.ts";
import { isUuid } from "../../base/ids.ts";
import type { ApiKey, RecollectClient } from "../../client/client.ts";
import { pages } from "../../client/pages.ts";
import { makeApiKey } from "../../service/core/api-key.ts";
import { call, callList, PAGE_ROWS } from "../shell/call.ts";
import { connected } from "../shell/connected.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { instant, named, wholeNumber } from "../shell/option-parsers.ts";
import { printableLine } from "../shell/printable.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";

interface CreateOptions extends AdminOptions {
  scope: string[];
  agent?: string;
  expires?: string;
  requestsPerMinute?: number;
}

const A_KEY = "the id of a key, or its prefix; recollect keys list shows both";

type Revoked = ApiKey & { warning?: string };

/** Adds the commands `recollect keys …`. */
export function addKeys(program: Command, context: CliContext, run: Run): void {
  const keys = program
    .command("keys")
    .description("API keys of a tenant")
    .addHelpText(
      ...guide(
        [
          "recollect keys create operator --scope admin",
          'recollect keys create "support bot" --scope search agent:write --agent support --expires 2027-01-31',
          "recollect keys list",
        ],
        "recollect profile add <name> --url <url> --key-stdin, on the machine that uses the key",
        "A command that talks to a server takes its key from the profile or from RECOLLECT_API_KEY.",
      ),
    );
  administrative(keys.command("create").argument("<name>"))
    .description("make a key and print it: it is shown only once")
    .addHelpText(
      ...guide(
        [
          'recollect keys create "support bot" --scope search agent:write --agent support',
          "recollect keys create operator --scope admin --expires 2027-01-31",
        ],
        "recollect profile add <name> --url <url> --key-stdin, on the machine that uses the key",
      ),
    )
    .requiredOption("--scope <scope...>", "admin, tenant, agent:read, agent:write, search")
    .option("--agent <id>", "valid only for this agent")
    .option("--expires <date>", "valid until this date (2027-01-31) or instant", instant)
    .option("--requests-per-minute <n>", "a rate limit of its own", wholeNumber(1, 1_000_000))
    .action((name: string, options: CreateOptions) => run(createKey(context, name, options)));
  administrative(keys.command("list"))
    .description("list the tenant's keys")
    .addHelpText(...guide(["recollect keys list"], "recollect keys revoke <id>"))
    .action((options: AdminOptions) => run(callList<ApiKey>(context, options, "keys", list)));
  administrative(
    keys
      .command("revoke")
      .argument("<id...>", "ids, or prefixes (rcl_ and 12 hexadecimal digits)", (text, before: string[] = []) => [
        ...before,
        oneKey(text),
      ]),
  )
    .description("refuse keys from now on")
    .addHelpText(
      ...guide(
        [
          "recollect keys revoke 0b7e6f1c-9d0a-4c58-8f0e-2f6c0f1a9b3d",
          "recollect keys revoke rcl_4b2fca1cfdd5 rcl_9d0a4c588f0e --tenant acme",
        ],
        "recollect keys list",
      ),
    )
    .action((named: string[], options: AdminOptions) => run(revoke(context, named, options)));
  addGenerate(keys, context);
}

/**
 * Parses the name of one key. Several in one argument, as a shell makes them of a quoted list, would
 * otherwise be read as one of them.
 */
function oneKey(text: string): string {
  const name = named(A_KEY)(text);
  if (/\s/.test(name))
    throw new InvalidArgumentError(
      "It must be the id or the prefix of one key, which recollect keys list shows, and no name. Pass several keys as several arguments.",
    );
  return name;
}

/**
 * Revokes keys one after the other, once it has found all of them.
 *
 * @returns 0
 */
function revoke(context: CliContext, names: readonly string[], options: AdminOptions): Promise<number> {
  return connected(context, { ...options, brief: true, irreversible: true }, async ({ client }) => {
    const ids = new Set<string>();
    for (const name of names) ids.add((await idOfPrefix(client, name)) ?? name);
    const revoked: Revoked[] = [];
    try {
      for (const id of ids) revoked.push(await client.request("DELETE", `/v1/keys/${encodeURIComponent(id)}`));
    } finally {
      // If one key fails, the user must know which keys were revoked before it.
      if (options.json) context.stdout.write(`${JSON.stringify({ revoked })}\n`);
      else for (const key of revoked) context.stdout.write(revokedText(key));
    }
    return 0;
  });
}

function revokedText({ prefix, name, warning }: Revoked): string {
  return `Revoked ${prefix} (${printableLine(name)}).\n${warning === undefined ? "" : `${warning}\n`}`;
}

/**
 * Returns the id of the key with this prefix. Logs and the audit name a key by its prefix, and a
 * leaked key begins with it.
 *
 * @returns undefined if the text is an id
 * @throws AppError `key_not_found`; `invalid_request` if the text is neither
 */
async function idOfPrefix(client: RecollectClient, named: string): Promise<string | undefined> {
  // A whole key may be pasted. No more of it than the prefix is sent.
  const prefix = /rcl_[0-9a-f]{12}(?=_|$)/.exec(named)?.[0];
  if (prefix === undefined) {
    if (isUuid(named)) return undefined;
    throw new AppError(
      "invalid_request",
      "A key is revoked by its id or its prefix; recollect keys list shows both, beside the names.",
    );
  }
  const list = (query: object) =>
    client.request<{ keys: ApiKey[]; nextCursor?: string }>("GET", "/v1/keys", {
      query: { limit: PAGE_ROWS, ...query },
    });
  for await (const key of pages(list, {}, (page) => page.keys)) if (key.prefix === prefix) return key.id;
  throw new AppError("key_not_found", "The tenant has no key with this prefix.");
}

function addGenerate(keys: Command, context: CliContext): void {
  keys
    .command("generate")
    .description("print a key for RECOLLECT_ADMIN_KEY; nothing is stored")
    .addHelpText(
      ...guide(
        ["RECOLLECT_ADMIN_KEY=$(recollect keys generate) recollect serve"],
        "recollect serve, with the key in RECOLLECT_ADMIN_KEY",
      ),
    )
    .option("--json", "print one JSON object")
    .action(({ json }: { json?: boolean }) => {
      const { key } = makeApiKey();
      context.stdout.write(json ? `${JSON.stringify({ key })}\n` : `${key}\n`);
    });
}

function createKey(context: CliContext, name: string, options: CreateOptions): Promise<number> {
  const { scope, agent, expires, requestsPerMinute } = options;
  const body = {
    name,
    scopes: scope,
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
  };
  // Only the key goes to standard output, so that a script can read it.
  const create = (client: RecollectClient) => client.request<{ key: string }>("POST", "/v1/keys", { body });
  return call(context, { ...options, ifMissing: "create" }, create, ({ key }) => `${key}\n`);
}

function list(keys: readonly ApiKey[], width?: number): string {
  return table(
    ["id", "prefix", "name", "scopes", "agent", "state", "last used"],
    keys.map((key) => [
      ...[key.id, key.prefix, key.name, key.scopes.join(","), key.agentId ?? "all", stateOf(key), key.lastUsedAt],
    ]),
    width,
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "valid";
  return `${new Date(expiresAt) > new Date() ? "until" : "expired"} ${expiresAt}`;
}
