import type { Command } from "commander";
import type { CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { inFolder } from "../shell/in-folder.ts";
import { memoryFolder, originName, wholeNumber } from "../shell/option-parsers.ts";
import { debouncing, type Run, remote } from "../shell/shared-options.ts";
import type { SyncOptions } from "./sync.ts";
import type { WatchOptions } from "./watch.ts";

const DEFAULT_MAX_FILE_BYTES = 2_000_000;
/** The server's limit for one text. */
const MOST_FILE_BYTES = 4_000_000;

/** Adds the commands `recollect sync` and `recollect watch`. */
export function addSync(program: Command, context: CliContext, run: Run): void {
  const syncFolder = inFolder(context, run, async (root, options: SyncOptions & Whole) =>
    (await import("./sync.ts")).sync(context, root, await forWorkspace(context, root, options)),
  );
  selecting(remote(program.command("sync").argument("[dir]")))
    .summary("make an agent remember a folder")
    .description(
      "send a folder's Markdown, plain text and documents to an agent, respecting .gitignore and .recollectignore; without a folder, have the server sync the agent",
    )
    .addHelpText(
      ...guide(
        [
          "recollect sync ~/notes",
          "recollect sync ~/notes --dry-run                      show what would be sent, removed and left",
          "recollect sync docs --agent support --url http://memory.example:7420",
          "recollect sync docs --prefix handbook                 the folder is handbook/ of the memory",
          "recollect sync docs --origin wiki                     the same folder wherever it is checked out",
          "recollect sync docs --ignore 'drafts/' '*.txt'        patterns come after the folder",
          "recollect sync --agent support                        the server's own folders",
        ],
        "recollect search, or recollect watch to keep the memory up to date",
        `Sent are .md .markdown .mdx .txt .rst .adoc .org and similar texts in UTF-8, tables (.csv .tsv) and canvases (.canvas), and as
text .pdf .html .docx if the server has the package that reads them (docs/recipes/documents.md). Symbolic links are not followed.
Files that cannot be sent are named below the summary. Files of other kinds (programs, pictures) are counted.

Hidden folders (.obsidian, .trash, .git), other trash and backups, and folders of packages (node_modules) are left out; --verbose
names them. A line such as !.github/ in .recollectignore, or --ignore '!.github/', brings one back, but not .git and node_modules.

Files that are gone from the folder are deleted from the agent's memory if this folder has sent them. Files that an agent, a
program or another folder wrote stay: if the memory has another text at the path of a file, the file is named as a conflict (exit
code 1), and --take-over replaces the text in the memory. A file in the memory belongs to the origin that sent it, by default this
machine and this folder; --origin gives a folder a lasting name, for a pipeline, or for one folder on several machines.

Without a folder the server is asked to sync its own sources: the agent's extraPaths and its sessions.`,
      ),
    )
    .option("--dry-run", "say which files would be sent, removed and left to others, and do nothing")
    .option("--no-wait", "do not wait for the embeddings")
    .option(
      "--verbose",
      "name every skipped file, the folders that are left out by default, and the kinds of other files",
    )
    .action(async (dir: string | undefined, options: SyncOptions, command: Command) => {
      if (dir !== undefined) return syncFolder(dir, options, command);
      const ofFolder = ["dryRun", "prefix", "allowEmpty", "ignore", "maxFileBytes", "origin", "takeOver", "allFiles"];
      const given = ofFolder.some((name) => command.getOptionValueSource(name) === "cli");
      if (given) return command.error("These options need a folder. (invalid_request)");
      await run((await import("./sync-server.ts")).syncServer(context, options));
    });
  addWatch(program, context, run);
}

function addWatch(program: Command, context: CliContext, run: Run): void {
  debouncing(selecting(remote(program.command("watch").argument("<dir>"), "print a JSON object a line")))
    .summary("like sync, and again whenever the folder changes")
    .description("keep an agent's memory in step with a folder that changes; takes the same files as sync")
    .addHelpText(
      ...guide(
        [
          "recollect watch ~/notes",
          "recollect watch docs --agent support --prefix handbook --url http://memory.example:7420",
          "recollect watch ~/notes --debounce 5000 --json        a JSON object for each batch",
        ],
        "recollect search, in another terminal",
        `Begins with a sync, then sends changes until Ctrl-C. If the folder is missing or empty, nothing is deleted. As with sync, files that
others wrote stay. Without a server the command opens the database itself, and no other command can meanwhile: better run
\`recollect serve\` first.`,
      ),
    )
    .action(
      inFolder(context, run, async (root, options: WatchOptions & Whole) =>
        (await import("./watch.ts")).watch(context, root, await forWorkspace(context, root, options)),
      ),
    );
}

interface Whole {
  allFiles?: boolean;
}

/** Returns the options for a folder. Of an OpenClaw workspace only the memory is sent. */
async function forWorkspace<Options extends { ignore: readonly string[] }>(
  { stderr }: CliContext,
  root: string,
  { allFiles = false, ...options }: Options & Whole,
): Promise<Options> {
  const { WORKSPACE_NOTE, workspacePatterns } = await import("./openclaw-workspace.ts");
  const patterns = allFiles ? [] : await workspacePatterns(root);
  if (patterns.length > 0) stderr.write(WORKSPACE_NOTE);
  return { ...(options as unknown as Options), ignore: [...patterns, ...options.ignore] };
}

/** Adds the options of the commands that make a memory equal to a folder. */
function selecting(command: Command): Command {
  return command
    .option("--prefix <folder>", "the folder's place in the memory; nothing outside it is touched", memoryFolder, "")
    .option(
      "--max-file-bytes <n>",
      `skip larger texts, at most ${MOST_FILE_BYTES}`,
      wholeNumber(1, MOST_FILE_BYTES),
      DEFAULT_MAX_FILE_BYTES,
    )
    .option("--ignore <pattern...>", "further patterns to ignore, as in .gitignore", [])
    .option("--all-files", "send all files of an OpenClaw workspace, not only its memory")
    .option("--allow-empty", "if the folder has no files, delete all files that it has sent to the agent")
    .option(
      "--origin <name>",
      "the name under which this folder owns files (default: this machine and the folder)",
      originName,
    )
    .option("--take-over", "replace files that others wrote at the paths of the folder's files");
}
