import type { Command } from "commander";
import { AppError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { Profile, Profiles } from "../../config/profiles.ts";
import { apiKeyPrefix } from "../../service/core/api-key.ts";
import type { CliContext } from "./context.ts";
import { guide } from "./guide.ts";
import { httpUrl, profileName, serverProfileName } from "./option-parsers.ts";
import type { Run } from "./shared-options.ts";
import { table, tableWidth } from "./table.ts";

/**
 * The name that means no profile, but the database of this machine. `start` decides by the same
 * name.
 */
const EMBEDDED = "embedded";

interface JsonOption {
  json?: boolean;
}

/** Adds `recollect profile …`: named servers, kept in a file of the user's. */
export function addProfiles(program: Command, context: CliContext, run: Run): void {
  const profile = program
    .command("profile")
    .description("servers by name, each with its key")
    .addHelpText(
      ...guide(
        [
          "recollect profile add team --url https://memory.example --key-stdin < key.txt",
          "recollect profile use team",
          "recollect search --profile embedded <query>           the database of this machine, for once",
        ],
        "recollect doctor --profile <name>",
        "Profiles are kept in ~/.recollect/profiles.json, which nobody else may read.",
      ),
    );
  const json = (command: Command) => command.option("--json", "print one JSON object");
  json(profile.command("add").argument("<name>", "", serverProfileName))
    .description("remember a server; a profile of the same name is replaced")
    .addHelpText(
      ...guide(
        [
          "recollect profile add team --url https://memory.example --key-stdin",
          "recollect profile add team --url https://memory.example --key-stdin < key.txt",
          "recollect profile add lab --url http://127.0.0.1:7420",
        ],
        "recollect doctor --profile <name>",
        "With --key-stdin the key is asked for at a terminal, and read from a file or a pipe otherwise.",
      ),
    )
    .requiredOption("--url <url>", "the server's URL", httpUrl)
    .option("--key-stdin", "read the API key from standard input, because others can see a command's options")
    .action((name: string, options: { url: string; keyStdin?: boolean } & JsonOption) =>
      run(add(context, name, options)),
    );
  json(profile.command("list"))
    .description("list the servers; the one in use has a star")
    .addHelpText(...guide(["recollect profile list"], "recollect profile use <name>"))
    .action((options: JsonOption) => run(list(context, options)));
  json(profile.command("use").argument("<name>", "", profileName))
    .description("use this server by default; embedded: use the database of this machine")
    .addHelpText(
      ...guide(
        ["recollect profile use team", "recollect profile use embedded           back to this machine's database"],
        "recollect doctor",
      ),
    )
    .action((name: string, options: JsonOption) => run(use(context, name, options)));
  json(profile.command("remove").argument("<name>", "", serverProfileName))
    .description("forget a server and its key")
    .addHelpText(...guide(["recollect profile remove team"], "recollect profile list"))
    .action((name: string, options: JsonOption) => run(remove(context, name, options)));
}

async function add(
  context: CliContext,
  name: string,
  { url, keyStdin, json }: { url: string; keyStdin?: boolean } & JsonOption,
): Promise<number> {
  const key = keyStdin ? await readKey(context) : undefined;
  const before = context.profiles.read();
  const profile: Profile = { name, url, ...(key === undefined ? {} : { key }) };
  const others = before.profiles.filter((one) => one.name !== name);
  context.profiles.write({ ...before, profiles: [...others, profile].sort((a, b) => (a.name < b.name ? -1 : 1)) });
  const verb = others.length < before.profiles.length ? "Changed" : "Added";
  const text = `${verb} ${name}: ${url}, ${key === undefined ? "no key" : `key ${shown(key)}`}.\nUse it with --profile ${name}, or from now on: recollect profile use ${name}\n`;
  context.stdout.write(json ? `${JSON.stringify(view(profile, before.current === name))}\n` : text);
  return 0;
}

async function readKey(context: CliContext): Promise<string> {
  const text = context.ask ? await context.ask("API key: ", { hidden: true }) : await context.readInput();
  const key = text.trim();
  // The key becomes a header, which takes no other characters. The error does not show the text,
  // which may be a secret.
  if (!/^[!-~]{1,1000}$/.test(key))
    throw new AppError("invalid_request", "Standard input has no API key; give one line, such as rcl_….");
  return key;
}

async function list(context: CliContext, { json }: JsonOption): Promise<number> {
  const { current = EMBEDDED, profiles } = context.profiles.read();
  const all = profiles.map((profile) => view(profile, profile.name === current));
  if (json) {
    context.stdout.write(`${JSON.stringify({ current, profiles: all })}\n`);
    return 0;
  }
  const rows = all.map(({ name, url, key, current: used }) => [used ? "*" : "", name, url, key ?? "–"]);
  const own = [current === EMBEDDED ? "*" : "", EMBEDDED, "the database of this machine", "–"];
  context.stdout.write(table(["", "name", "url", "key"], [own, ...rows], tableWidth(context.stdout)));
  return 0;
}

async function use(context: CliContext, name: string, { json }: JsonOption): Promise<number> {
  const { current: _before, ...rest } = context.profiles.read();
  if (name !== EMBEDDED) requireProfile(rest, name);
  context.profiles.write(name === EMBEDDED ? rest : { ...rest, current: name });
  const text = name === EMBEDDED ? "Commands use the database of this machine.\n" : `Commands use ${name}.\n`;
  context.stdout.write(json ? `${JSON.stringify({ current: name })}\n` : text);
  return 0;
}

async function remove(context: CliContext, name: string, { json }: JsonOption): Promise<number> {
  const { current, ...before } = context.profiles.read();
  requireProfile(before, name);
  const profiles = before.profiles.filter((one) => one.name !== name);
  context.profiles.write({ profiles, ...(current === undefined || current === name ? {} : { current }) });
  const now = current === name ? " Commands use the database of this machine again." : "";
  context.stdout.write(json ? `${JSON.stringify({ removed: name })}\n` : `Removed ${name}.${now}\n`);
  return 0;
}

function requireProfile({ profiles }: Profiles, name: string): void {
  if (profiles.some((one) => one.name === name)) return;
  const near = didYouMean(
    name,
    profiles.map((one) => one.name),
  );
  throw new AppError("config_invalid", `There is no profile ${name}.${near} See: recollect profile list`);
}

function view({ name, url, key }: Profile, current: boolean) {
  return { name, url, key: key === undefined ? null : shown(key), current };
}

/**
 * Returns the part of a key that may be shown: the prefix, which lists of keys show too. A key of
 * another system has no such prefix.
 */
function shown(key: string): string {
  return `${apiKeyPrefix(key) ?? ""}…`;
}
