import { Argument, type Command } from "commander";
import type { CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { memoryFolder } from "../../cli/shell/option-parsers.ts";
import { type Run, remote } from "../../cli/shell/shared-options.ts";
import { IMPORT_KINDS } from "./import-kinds.ts";
import type { ImportOptions } from "./import-memory.ts";

/** Adds the command `recollect import`. */
export function addImport(program: Command, context: CliContext, run: Run): void {
  const names = IMPORT_KINDS.map((kind) => kind.name);
  const width = Math.max(...names.map((name) => name.length));
  const kinds = IMPORT_KINDS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`).join("");
  const command = program
    .command("import")
    // The action below checks the kind, and names the nearest one. The choices are for completion.
    .addArgument(new Argument("<kind>", "the kind of source, see below").choices(names).argParser(String))
    .argument("<path>", "a file or folder");
  remote(command)
    .helpGroup("Memory:")
    .summary("import another program's memory")
    .description("import another program's conversations, facts and notes, each once")
    .addHelpText(
      ...guide(
        [
          "recollect import chatgpt ~/Downloads/chatgpt-export.zip --dry-run   say what would be stored, and store nothing",
          "recollect import claude ~/Downloads/claude-export.zip",
          "recollect import claude-code ~/.claude",
          "recollect import codex ~/.codex",
          "recollect import mcp-memory memory.jsonl --agent support",
          "recollect import basic-memory ~/basic-memory --prefix notes",
        ],
        "recollect search, or recollect status",
        `Kinds:
${kinds}
Texts that the agent has already are not stored again, so the same command continues an import that was stopped, and a newer export
adds only its new texts. Nothing is deleted. Entries that cannot be read are named with their place, and all others are imported.`,
      ),
    )
    .option("--dry-run", "say what would be stored, and store nothing")
    .option("--user <id>", "the user whom facts are for that name none themselves")
    .option("--prefix <folder>", "the folder of the memory that files go into", memoryFolder, "")
    .option("--no-capture", "do not store the user's statements in conversations as facts")
    .option("--no-wait", "do not wait until all is indexed")
    .action(async (name: string, path: string, options: ImportOptions) => {
      const listed = IMPORT_KINDS.find((one) => one.name === name);
      if (!listed) {
        const { didYouMean } = await import("../../base/text/nearest.ts");
        return command.error(
          `error: There is no kind ${name}; the kinds are ${names.join(", ")}.${didYouMean(name, names)}`,
        );
      }
      const importIt = async () => {
        const [kind, { importMemory }] = await Promise.all([listed.load(), import("./import-memory.ts")]);
        return importMemory(context, { name, ...kind }, path, options);
      };
      return run(importIt());
    });
}
