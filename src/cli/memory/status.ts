import type { Command } from "commander";
import type { AgentStatus } from "../../client/client.ts";
import { callAgent, fields } from "../shell/call.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { type Run, remote } from "../shell/shared-options.ts";

/** Adds `recollect status`. */
export function addStatus(program: Command, context: CliContext, run: Run): void {
  remote(program.command("status"))
    .summary("what the memory holds, and what is under way")
    .description("what an agent's memory is made of and what is under way")
    .addHelpText(
      ...guide(
        ["recollect status", "recollect status --agent work --json"],
        "recollect doctor, when something seems wrong",
      ),
    )
    .action((options) => run(status(context, options)));
}

/** `recollect status`. */
function status(context: CliContext, options: RemoteOptions): Promise<number> {
  return callAgent(
    context,
    options,
    (memory) => memory.status(),
    (answer) => fields(shownOf(answer)),
  );
}

/** Nine kinds of jobs of which none is there are twenty-seven lines that say nothing. */
function shownOf({ jobs, ...rest }: Partial<AgentStatus>): object {
  if (!jobs) return rest;
  const some = Object.entries(jobs).filter(([, counts]) => Object.values(counts).some((count) => count > 0));
  return { ...rest, jobs: Object.fromEntries(some) };
}
