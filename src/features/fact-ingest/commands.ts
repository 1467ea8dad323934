import type { Command } from "commander";
import type { CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { folderAt } from "../../cli/shell/in-folder.ts";
import { type Run, remote } from "../../cli/shell/shared-options.ts";
import { DEFAULT_PATHS, type IngestOptions } from "./ingest-options.ts";

/** Adds the command `recollect ingest`. */
export function addIngest(program: Command, context: CliContext, run: Run): void {
  remote(program.command("ingest").argument("[dir]"))
    .helpGroup("Memory:")
    .summary("turn files into facts with a chat model")
    .description(
      "turn files into facts with the server's chat model: the files of a folder, or else the agent's own files",
    )
    .addHelpText(
      ...guide(
        [
          "recollect ingest . --dry-run",
          'recollect ingest ~/workspace --paths "skills/**/*.md" AGENTS.md',
          "recollect ingest --agent support                      the agent's own files",
        ],
        "recollect facts list",
        `A chat model (RECOLLECT_CHAT_PROVIDER on the server) reads the files in pieces and states facts. A piece that the model has
read is not sent again, so a second run adds nothing. This command reads the files of a folder and does not store them.`,
      ),
    )
    .option(
      "--paths <glob...>",
      `globs of the files (default: ${DEFAULT_PATHS.join(", ")}, or the agent's facts.ingest.paths)`,
    )
    .option("--workspace <dir>", "the folder, as OpenClaw's documents name it; the same as [dir]")
    .option("--dry-run", "show what would be stored, and store nothing")
    .option("--no-wait", "do not wait until the server has read the agent's own files")
    .action(async (named: string | undefined, options: IngestOptions & { workspace?: string }, command: Command) => {
      if (named !== undefined && options.workspace !== undefined && named !== options.workspace)
        command.error("error: name the folder once: as [dir], or with --workspace");
      const dir = named ?? options.workspace;
      const folder = dir === undefined ? undefined : await folderAt(context, dir, command);
      const { ingestFiles, ingestFolder } = await import("./ingest-folder.ts");
      await run(folder === undefined ? ingestFiles(context, options) : ingestFolder(context, folder, options));
    });
}
