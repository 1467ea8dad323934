import type { Command } from "commander";
import type { Job, RecollectClient } from "../../client/client.ts";
import { call, callList, fields } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { named } from "../shell/option-parsers.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";

const A_JOB = "the id of a job; recollect jobs list shows it";

/** Adds the commands `recollect jobs …`. */
export function addJobs(program: Command, context: CliContext, run: Run): void {
  const jobs = program
    .command("jobs")
    .description("background jobs of a tenant")
    .addHelpText(
      ...guide(
        ["recollect jobs list --state failed", "recollect jobs retry 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"],
        "recollect doctor, when jobs wait and no worker runs them",
      ),
    );
  administrative(jobs.command("list"))
    .description("list jobs, unfinished ones first; finished ones are shown for an hour")
    .addHelpText(
      ...guide(
        ["recollect jobs list", "recollect jobs list --agent support --state failed"],
        "recollect jobs show <id>",
      ),
    )
    .option("--agent <id>", "only jobs of this agent")
    .option("--state <state>", "waiting, active, retry, completed, cancelled or failed")
    .action((options: AdminOptions & { agent?: string; state?: string }) =>
      run(callList<Job>(context, options, "jobs", list, { agentId: options.agent, state: options.state })),
    );
  administrative(jobs.command("show").argument("<id>", "", named(A_JOB)))
    .description("one job, with the error of its last try")
    .addHelpText(...guide(["recollect jobs show 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"], "recollect jobs retry <id>"))
    .action((id: string, options: AdminOptions) =>
      run(call(context, options, (client) => client.request<Job>("GET", jobPath(id)), fields)),
    );
  administrative(jobs.command("retry").argument("<id>", "", named(A_JOB)))
    .description("run a failed or waiting job now")
    .addHelpText(...guide(["recollect jobs retry 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"], "recollect jobs show <id>"))
    .action((id: string, options: AdminOptions) => {
      const retry = (client: RecollectClient) => client.request("POST", `${jobPath(id)}/retry`, { body: {} });
      return run(call(context, options, retry, () => "The job is due now.\n"));
    });
  administrative(jobs.command("cancel").argument("<id>", "", named(A_JOB)))
    .description("cancel a job, or remove one that failed for good")
    .addHelpText(...guide(["recollect jobs cancel 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"], "recollect jobs list"))
    .action((id: string, options: AdminOptions) => {
      const cancel = (client: RecollectClient) => client.request("DELETE", jobPath(id));
      return run(call(context, options, cancel, () => "Cancelled.\n"));
    });
}

function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

/** Returns the counts of jobs by kind in one line, or undefined if there are no jobs. */
export function jobsText(
  jobs: Record<string, { waiting: number; active: number; failed: number }>,
): string | undefined {
  const kinds = Object.entries(jobs).flatMap(([kind, counts]) => {
    const some = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
    return some.length === 0 ? [] : [`${kind} ${some.join(", ")}`];
  });
  return kinds.length === 0 ? undefined : kinds.join("; ");
}

/** The order in which states are listed: unfinished jobs, failed jobs, finished jobs. */
const STATES = ["active", "retry", "waiting", "failed", "cancelled", "completed"];

function list(jobs: readonly Job[], width?: number): string {
  // An unknown state, of a newer server, is shown first.
  const sorted = jobs.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
  return table(
    ["id", "kind", "agent", "state", "tries", "created", "error"],
    sorted.map((job) => [
      ...[job.id, job.kind, job.agentId, job.state, job.retryCount, job.createdAt, job.error?.code ?? null],
    ]),
    width,
  );
}
