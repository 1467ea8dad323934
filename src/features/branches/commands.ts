import { setTimeout } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import { call } from "../../cli/shell/call.ts";
import type { AdminOptions, CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId, pastMoment } from "../../cli/shell/option-parsers.ts";
import type { Progress } from "../../cli/shell/progress.ts";
import { administrative, type Run, subcommand } from "../../cli/shell/shared-options.ts";
import { table } from "../../cli/shell/table.ts";
import type {
  AgentDiff,
  AgentStatus,
  Branch,
  BranchInput,
  MergedBranch,
  MergeInput,
  RecollectClient,
} from "../../client/client.ts";

const POLL_MS = 500;

/** Adds the commands that branch, compare and merge agents, as a part of `recollect agents …`. */
export function addBranchCommands(program: Command, context: CliContext, run: Run): void {
  const agents = subcommand(program, "agents");
  addBranch(agents, context, run);
  administrative(agents.command("diff").argument("<id>", "", agentId).argument("<other>", "", agentId))
    .description("compare the files and facts of two agents")
    .addHelpText(...guide(["recollect agents diff try-1 main"], "recollect agents merge <id> --into <other> --dry-run"))
    .action((id: string, other: string, options: AdminOptions) =>
      run(call(context, options, (client) => client.agents.diff(id, other, 1000), diffText)),
    );
  administrative(agents.command("merge").argument("<id>", "", agentId))
    .description("merge a branch's changes into the agent that it was made from, all or nothing")
    .addHelpText(
      ...guide(
        [
          "recollect agents merge try-1 --into main --dry-run",
          "recollect agents merge try-1 --into main --prefer branch",
        ],
        "recollect agents diff <id> <other>",
      ),
    )
    .requiredOption("--into <id>", "the agent that the branch was made from", agentId)
    .option("--dry-run", "only show the changes that would be merged")
    .addOption(
      new Option("--prefer <side>", "whose change wins if both agents changed the same file or fact").choices([
        "branch",
        "target",
      ]),
    )
    .action((id: string, { into, dryRun, prefer, ...options }: AdminOptions & MergeInput) =>
      run(call(context, options, (client) => client.agents.merge(id, { into, dryRun, prefer }), mergeText)),
    );
}

type Moment = Pick<BranchInput, "at" | "snapshot">;
type BranchOptions = AdminOptions & Omit<BranchInput, keyof Moment> & { at?: Moment };

function addBranch(agents: Command, context: CliContext, run: Run): void {
  administrative(agents.command("branch").argument("<id>", "", agentId))
    .description("create an agent with a copy of another agent's memory, as it is now or was at an earlier moment")
    .addHelpText(
      ...guide(
        [
          "recollect agents branch main --as try-1",
          "recollect agents branch main --as then --at 2026-11-16",
          "recollect agents branch main --as then --at before-cleanup        a snapshot",
        ],
        "recollect agents diff try-1 main",
      ),
    )
    .requiredOption("--as <id>", "the new agent's id", agentId)
    .option("--name <name>", "a display name")
    .option(
      "--at <moment>",
      "copy the memory as it was at the end of a date (in UTC), at an instant or at a snapshot",
      moment,
    )
    .action((id: string, { as, name, at, ...options }: BranchOptions) => {
      let holds = "";
      const make = async (client: RecollectClient) => {
        await client.agents.makeBranch(id, { as, name, ...at });
        const branch = await whenReady(context, client, as);
        holds = contentsText(await client.agent(as).status());
        return branch;
      };
      const had = at === undefined ? "remembers now" : "remembered at that time";
      return run(call(context, options, make, ({ agentId: made }) => `${made} has all that ${id} ${had}: ${holds}.\n`));
    });
}

/** Says how much an agent holds, so that a moment before its first write does not look like a copy. */
function contentsText({ files, facts, sessions }: AgentStatus): string {
  if (files + facts + sessions === 0) return "nothing";
  return [countOf(files, "file"), countOf(facts, "fact"), countOf(sessions, "conversation")].join(", ");
}

/** Matches the words for a time that is relative to now. */
const RELATIVE = /^(?:yesterday|today|now|last \w+|\d+ ?(?:minutes?|hours?|days?|weeks?) ago)$/i;

/**
 * Parses a moment. A text that looks like a date is a date; any other text is the name of a
 * snapshot.
 */
function moment(text: string): Moment {
  if (RELATIVE.test(text))
    throw new InvalidArgumentError(
      "It must be a date such as 2026-11-16, an instant such as 2026-11-16T09:30:00Z, or the name of a snapshot.",
    );
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? { at: pastMoment(text) } : { snapshot: text };
}

/** Waits until a branch is copied. */
async function whenReady({ stderr }: CliContext, client: RecollectClient, id: string): Promise<Branch> {
  const { startProgress } = await import("../../cli/shell/progress.ts");
  let progress: Progress | undefined;
  try {
    for (;;) {
      const branch = await client.agents.branch(id);
      if (branch.state === "ready") return branch;
      progress ??= branch.total > 0 ? await startProgress(stderr, "copying rows", branch.total) : undefined;
      progress?.update(branch.copied);
      await setTimeout(POLL_MS);
    }
  } finally {
    progress?.stop();
  }
}

function rowsOf({ files, facts }: Pick<AgentDiff, "files" | "facts">, width?: number): string {
  const rows = [
    ...files.map((one) => ["file", one.here, one.there, one.path]),
    ...facts.map((one) => ["fact", one.here, one.there, one.text]),
  ];
  return rows.length === 0 ? "" : table(["", "here", "there", "what"], rows, width);
}

function diffText({ counts, ...diff }: AgentDiff, width?: number): string {
  const all = counts.files + counts.facts;
  if (all === 0) return "Both agents have the same files and facts.\n";
  const shown = diff.files.length + diff.facts.length;
  return `${rowsOf(diff, width)}${shown < all ? `… and ${all - shown} more\n` : ""}`;
}

function mergeText({ merged, agentId: id, into, conflicts, ...rest }: MergedBranch): string {
  const count = rest.files.length + rest.facts.length;
  const what = `${countOf(count, "change")} of ${id}`;
  const end = conflicts === 0 ? "" : `, ${conflicts} of which ${into} has changed too`;
  return `${rowsOf(rest)}${merged ? `Merged ${what} into ${into}` : `Would merge ${what} into ${into}`}${end}.\n`;
}
