import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { CliContext } from "../../../cli/shell/context.ts";
import { guide } from "../../../cli/shell/guide.ts";
import { folderAt } from "../../../cli/shell/in-folder.ts";
import { agentId, decimal, wholeNumber } from "../../../cli/shell/option-parsers.ts";
import { printableLine } from "../../../cli/shell/printable.ts";
import { administrative, type Run } from "../../../cli/shell/shared-options.ts";
import type { EvalOptions } from "./evaluate.ts";
import { RUN_NAMES, type RunName } from "./run-names.ts";

const MOST_CLIENTS = 64;
const LARGEST_SEED = 4_294_967_295;

/** Adds the command `recollect eval DIR`. */
export function addEval(program: Command, context: CliContext, run: Run): void {
  administrative(program.command("eval").argument("<dir>"))
    .helpGroup("Memory:")
    .summary("measure how good search is on questions of your own")
    .description("measure how well questions of your own find the documents they should")
    .addHelpText(
      ...guide(
        [
          "recollect eval examples/eval",
          "recollect eval questions --runs keyword,vector,hybrid --html report.html",
          "recollect eval questions --save before.json           then change a setting of the agents, and",
          "recollect eval questions --compare before.json        see whether it helped, and whether by chance",
          "recollect eval questions --agent try-1 --compare main     the same questions of an agent and its branch",
          "recollect eval questions --fusions weighted,rrf",
          "recollect eval questions --min-ndcg 0.6 --json        for a pipeline: exit code 1 below 0.6",
        ],
        "recollect agents set <agent> <key> <value>, then measure again",
        `The folder has corpus.jsonl {"id", "title"?, "text", "scope"?, "date"?}, queries.jsonl {"id", "text", "scope"?} and qrels.tsv
(a header line, then query id, document id and a number above 0 for relevant, tab-separated). A question is asked among the
documents of its scope. Documents are stored in agents of their own, which stay: the next run sends only what changed. With
--agent nothing is stored and corpus.jsonl is not needed: that agent is asked, and qrels.tsv names paths of its memory.

Measures are those of trec_eval (nDCG with linear gain, MRR over the first 10), with 95 % bootstrap intervals. Against a server
the key needs the scope tenant.`,
      ),
    )
    .option("--name <name>", "the agents are eval-<name>-<scope>; default: the folder's name", agentName)
    .option(
      "--runs <list>",
      "the runs to compare: keyword,vector,hybrid; default: one run with the agents' settings",
      runs,
    )
    .option(
      "--fusions <list>",
      "hybrid runs with each of these values of query.hybrid.fusion, such as weighted,rrf",
      list,
    )
    .option("--clients <n>", "questions asked at once", wholeNumber(1, MOST_CLIENTS), 1)
    .option("--limit <n>", "ask only the first n questions", wholeNumber(1))
    .option(
      "--sample <seed>",
      "with --limit: choose the n questions at random; the same seed chooses the same questions",
      wholeNumber(0, LARGEST_SEED),
    )
    .option("--save <file>", "write each question's measures, for --compare")
    .option("--agent <id>", "ask this existing agent, instead of agents made for the data set", agentId)
    .option(
      "--compare <file>",
      "compare with a saved run, and say which differences may be chance; with --agent, another agent's id works too",
    )
    .option("--html <file>", "write a report with plots, as one self-contained file")
    .option("--min-ndcg <x>", "exit with 1 when the nDCG@10 of a run is below this", fraction)
    .option("--erase", "erase the data set's agents at the end")
    .action((dir: string, options: EvalOptions, command: Command) => begin(context, dir, options, { command, run }));
}

/** Checks everything that can be checked before anything is sent, and starts the evaluation. */
async function begin(
  context: CliContext,
  dir: string,
  options: EvalOptions,
  { command, run }: { command: Command; run: Run },
): Promise<void> {
  if (options.agent !== undefined && (options.erase || options.fusions))
    return command.error(
      "--agent asks an existing agent, whose settings stay and which is not erased; leave out --erase and --fusions. (invalid_request)",
    );
  const folder = await folderAt(context, dir, command);
  const [{ evaluate }, { findDataset }] = await Promise.all([import("./evaluate.ts"), import("./read-dataset.ts")]);
  const files = await findDataset(folder, { corpus: options.agent === undefined });
  if ("missing" in files) return command.error(`${printableLine(dir)} has no ${files.missing}. (invalid_request)`);
  for (const file of [options.save, options.html]) {
    // A refusal now is better than one after the embeddings of a large corpus.
    if (file !== undefined && !(await isWritablePlace(context.cwd, file)))
      return command.error(`${printableLine(file)} cannot be written: no such folder. (invalid_request)`);
  }
  await run(evaluate(context, { folder, files }, options));
}

async function isWritablePlace(cwd: string, file: string): Promise<boolean> {
  const path = resolve(cwd, file);
  const [parent, itself] = await Promise.all([dirname(path), path].map((place) => stat(place).catch(() => undefined)));
  return parent?.isDirectory() === true && itself?.isDirectory() !== true;
}

function agentName(text: string): string {
  if (text.trim() === "" || text.length > 200) throw new InvalidArgumentError("It must be a name.");
  return text;
}

function list(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("") || names.length > 10) throw new InvalidArgumentError("It must be names with commas between.");
  return [...new Set(names)];
}

function runs(text: string): RunName[] {
  const names = list(text);
  const known = RUN_NAMES.filter((name) => names.includes(name));
  if (known.length < names.length) throw new InvalidArgumentError(`It must be some of ${RUN_NAMES.join(",")}.`);
  return known;
}

function fraction(text: string): number {
  const value = decimal(text);
  if (value < 0 || value > 1) throw new InvalidArgumentError("It must be a number from 0 to 1.");
  return value;
}
