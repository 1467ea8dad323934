import type { Command } from "commander";
import type { CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { folderAt } from "../shell/in-folder.ts";
import { type Run, remote } from "../shell/shared-options.ts";
import { DEFAULT_PATHS, type IngestOptions } from "./ingest-options.ts";

/** Adds the command `recollect ingest`. */
export function addIngest(program: Command, context: CliContext, run: Run): void {
  remote(program.command("ingest").argument("[dir]"))
    .summary("turn files into facts with a chat model")
    .description("turn files into facts by the server's chat model: those of a folder, or else the agent's own")
    .addHelpText(
      ...guide(
        [
          "recollect ingest . --dry-run",
          'recollect ingest ~/workspace --paths "skills/**/*.md" AGENTS.md',
          "recollect ingest --agent support                      the agent's own files",
        ],
        "recollect facts list",
        `A chat model (RECOLLECT_CHAT_PROVIDER on the server) reads the files in pieces and says one fact a line. What it was asked about is
not asked again, so a second run adds nothing. Files of a folder are read by this command and not kept.`,
      ),
    )
    .option(
      "--paths <glob...>",
      `which files (default: ${DEFAULT_PATHS.join(", ")}, or the agent's facts.ingest.paths)`,
    )
    .option("--dry-run", "show what would be stored, and store nothing")
    .option("--no-wait", "do not wait for the server to be done with the agent's own files")
    .action(async (dir: string | undefined, options: IngestOptions, command: Command) => {
      const folder = dir === undefined ? undefined : await folderAt(context, dir, command);
      const { ingestFiles, ingestFolder } = await import("./ingest.ts");
      await run(folder === undefined ? ingestFiles(context, options) : ingestFolder(context, folder, options));
    });
}
