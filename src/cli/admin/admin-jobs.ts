import type { Command } from "commander";
import type { Job, RecollectClient } from "../../client/client.ts";
import { call, callList, fields, table } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { administrative, type Run } from "../shell/run.ts";

/** `recollect jobs …` */
export function addJobs(program: Command, context: CliContext, run: Run): void {
  const jobs = program.command("jobs").description("background jobs of a tenant");
  administrative(jobs.command("list"))
    .description("list jobs, newest first; finished ones are shown for an hour")
    .option("--agent <id>", "of this agent only")
    .option("--state <state>", "waiting, active, retry, completed, cancelled or failed")
    .action((options: AdminOptions & { agent?: string; state?: string }) =>
      run(callList<Job>(context, options, "jobs", list, { agentId: options.agent, state: options.state })),
    );
  administrative(jobs.command("show").argument("<id>"))
    .description("one job, with the error of its last try")
    .action((id: string, options: AdminOptions) =>
      run(call(context, options, (client) => client.request<Job>("GET", jobPath(id)), fields)),
    );
  administrative(jobs.command("retry").argument("<id>"))
    .description("run a failed or waiting job now")
    .action((id: string, options: AdminOptions) => {
      const retry = (client: RecollectClient) => client.request("POST", `${jobPath(id)}/retry`, { body: {} });
      return run(call(context, options, retry, () => "It is due.\n"));
    });
  administrative(jobs.command("cancel").argument("<id>"))
    .description("cancel a job, or forget one that failed for good")
    .action((id: string, options: AdminOptions) => {
      const cancel = (client: RecollectClient) => client.request("DELETE", jobPath(id));
      return run(call(context, options, cancel, () => "Cancelled.\n"));
    });
}

function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

function list(jobs: readonly Job[]): string {
  return table(
    ["id", "kind", "agent", "state", "tries", "created", "error"],
    jobs.map((job) => [
      ...[job.id, job.kind, job.agentId, job.state, job.retryCount, job.createdAt, job.error?.code ?? null],
    ]),
  );
}
