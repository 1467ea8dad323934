import type { Command } from "commander";
import type { CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId } from "../../cli/shell/option-parsers.ts";
import { administrative, type Run, subcommand } from "../../cli/shell/shared-options.ts";
import type { ExportOptions, ImportOptions } from "./move-archive.ts";

/** Adds the commands that export and import agents, as a part of `recollect agents …`. */
export function addArchiveCommands(program: Command, context: CliContext, run: Run): void {
  const agents = subcommand(program, "agents");
  administrative(agents.command("export").argument("<id>", "", agentId))
    .description("write all that an agent remembers to one file, which any Recollect can import")
    .addHelpText(
      ...guide(
        [
          "recollect agents export support > support.archive",
          "recollect agents export support --with-vectors --out support.archive",
          "recollect agents export support --markdown support    a folder of Markdown; sync reads it back",
        ],
        "recollect agents import <file>",
      ),
    )
    .option("--with-vectors", "include embeddings, so that an import with the same model need not make them again")
    .option("--out <file>", "write to this file instead of standard output")
    .option("--markdown <dir>", "write a folder instead: files under their paths, sessions and facts as Markdown")
    .action((id: string, { markdown, ...options }: ExportOptions & { markdown?: string }) =>
      run(exportAs(context, id, options, markdown)),
    );
  administrative(agents.command("import").argument("<file>"))
    .description("create an agent from an exported file, all or nothing")
    .addHelpText(
      ...guide(
        [
          "recollect agents import support.archive --as support2 --url https://memory.example.com",
          "recollect agents export support | recollect agents import - --as support2 --url https://memory.example.com",
        ],
        "recollect status --agent <id>",
      ),
    )
    .option("--as <id>", "the new agent's id (default: the id in the archive)", agentId)
    .option("--no-settings", "ignore the archive's settings and limits")
    .action((file: string, options: ImportOptions) =>
      run(
        import("../../features/archives/move-archive.ts").then(({ importArchive }) =>
          importArchive(context, file, options),
        ),
      ),
    );
}

async function exportAs(context: CliContext, id: string, options: ExportOptions, markdown: string | undefined) {
  if (markdown === undefined)
    return (await import("../../features/archives/move-archive.ts")).exportArchive(context, id, options);
  return (await import("../../features/archives/markdown-export.ts")).exportMarkdown(context, id, {
    ...options,
    markdown,
  });
}
