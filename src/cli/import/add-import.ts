import { Argument, type Command } from "commander";
import type { CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { memoryFolder } from "../shell/option-parsers.ts";
import { type Run, remote } from "../shell/shared-options.ts";
import { IMPORT_KINDS } from "./import-kinds.ts";
import type { ImportOptions } from "./import-memory.ts";

/** Adds the command `recollect import`. */
export function addImport(program: Command, context: CliContext, run: Run): void {
  const names = IMPORT_KINDS.map((kind) => kind.name);
  const width = Math.max(...names.map((name) => name.length));
  const kinds = IMPORT_KINDS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`).join("");
  const command = program
    .command("import")
    .addArgument(new Argument("<kind>", "what it is").choices(names))
    .argument("<path>", "a file or folder");
  remote(command)
    .summary("bring in what another program remembers")
    .description("bring in conversations, facts and notes that another program has kept, each once")
    .addHelpText(
      ...guide(
        [
          "recollect import chatgpt ~/Downloads/chatgpt-export.zip --dry-run   say what would be stored, and store nothing",
          "recollect import claude ~/Downloads/claude-export.zip",
          "recollect import claude-code ~/.claude",
          "recollect import mcp-memory memory.jsonl --agent support",
          "recollect import basic-memory ~/basic-memory --prefix notes",
        ],
        "recollect search, or recollect status",
        `Kinds:
${kinds}
What the agent has already is not stored again, so an import that was stopped goes on when it is given again, and a newer export adds
what is new. Nothing is deleted. What cannot be read is named with its place, and all else is taken.`,
      ),
    )
    .option("--dry-run", "say what would be stored, and store nothing")
    .option("--user <id>", "whom facts are for that do not say it themselves")
    .option("--prefix <folder>", "the place of files in the memory", memoryFolder, "")
    .option("--no-capture", "do not store what the user states in conversations as facts")
    .option("--no-wait", "do not wait until all is indexed")
    .action((name: string, path: string, options: ImportOptions) => {
      const listed = IMPORT_KINDS.find((one) => one.name === name);
      if (!listed) return;
      const importIt = async () => {
        const [kind, { importMemory }] = await Promise.all([listed.load(), import("./import-memory.ts")]);
        return importMemory(context, { name, ...kind }, path, options);
      };
      return run(importIt());
    });
}
