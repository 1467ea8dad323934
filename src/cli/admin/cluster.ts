import { type Command, InvalidArgumentError } from "commander";
import type { CliContext, ClusterNode, ClusterReport, ClusterTask } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { agentId, tenantName } from "../shell/option-parsers.ts";
import { printableLine } from "../shell/printable.ts";
import type { Run } from "../shell/shared-options.ts";
import { sizeText } from "../shell/size.ts";
import { table, tableWidth } from "../shell/table.ts";

interface JsonOption {
  json?: boolean;
}

const ABOUT = `For a Citus cluster (docs/CITUS.md). The command works on the servers themselves: RECOLLECT_CLUSTER_ADMIN_URL names a superuser on
the coordinator, who has the same password on the workers; DATABASE_URL names the service's login on the coordinator.`;

/** Adds the commands `recollect cluster …`. */
export function addCluster(program: Command, context: CliContext, run: Run): void {
  const cluster = program
    .command("cluster")
    .description("Postgres on several servers, by Citus")
    .addHelpText(...guide(["recollect cluster status"], "recollect doctor", ABOUT));
  const report = (task: ClusterTask, { json }: JsonOption) => run(runTask(context, task, json ?? false));
  const answering = (name: string) => cluster.command(name).option("--json", "print one JSON object");
  answering("init")
    .description("set up a cluster of a coordinator and workers, or repair one")
    .addHelpText(
      ...guide(
        ["recollect cluster init --node worker-1 --node worker-2:5433"],
        "recollect migrate",
        "Sets up the extensions, the logins and the rights that isolation needs. The command may be run again at any time: each step first checks whether it is needed.",
      ),
    )
    .requiredOption("--node <host[:port]>", "a worker, as the other servers reach it; repeatable", collectNodes, [])
    .option(
      "--coordinator <host[:port]>",
      "the coordinator as the workers reach it (default: as this machine does)",
      node,
    )
    .action((options: JsonOption & { node: ClusterNode[]; coordinator?: ClusterNode }) =>
      report({ do: "init", nodes: options.node, coordinator: options.coordinator }, options),
    );
  answering("add-node")
    .argument("<host[:port]>", "the new worker, as the other servers reach it", node)
    .description("add a worker to the cluster")
    .addHelpText(...guide(["recollect cluster add-node worker-3"], "recollect cluster rebalance"))
    .option("--reserved", "place no new agents on this worker, only agents that are moved there")
    .action((address: ClusterNode, options: JsonOption & { reserved?: boolean }) =>
      report({ do: "add-node", node: address, reserved: options.reserved ?? false }, options),
    );
  answering("status")
    .description("show the workers, their agents and sizes, and any problems")
    .addHelpText(...guide(["recollect cluster status"], "recollect cluster rebalance"))
    .action((options: JsonOption) => report({ do: "status" }, options));
  addMoves(answering, report);
}

/** Adds the commands that move agents. */
function addMoves(
  answering: (name: string) => Command,
  report: (task: ClusterTask, options: JsonOption) => Promise<void>,
): void {
  answering("move")
    .argument("<agent>", "the agent's id", agentId)
    .argument("<host[:port]>", "the worker that receives the agent", node)
    .description("move one agent to another worker, while the agent stays in use")
    .addHelpText(...guide(["recollect cluster move support worker-3"], "recollect cluster status"))
    .option("--tenant <name>", "the agent's tenant, by name or id", tenantName)
    .action((agent: string, address: ClusterNode, options: JsonOption & { tenant?: string }) =>
      report({ do: "move", agent, node: address, tenant: options.tenant }, options),
    );
  answering("rebalance")
    .description("even out the workers by size, while they stay in use")
    .addHelpText(
      ...guide(
        ["recollect cluster rebalance", "recollect cluster rebalance --stop"],
        "recollect cluster status",
        "If this command is ended, the rebalancing goes on in the background on the coordinator.",
      ),
    )
    .option("--stop", "stop the rebalancing that is under way; agents that have moved stay where they are")
    .action(({ stop, ...options }: JsonOption & { stop?: boolean }) =>
      report({ do: stop ? "stop-rebalance" : "rebalance" }, options),
    );
}

async function runTask(context: CliContext, task: ClusterTask, json: boolean): Promise<number> {
  const state = await context.cluster(task, (step) => void context.stderr.write(`${printableLine(step)}\n`));
  context.stdout.write(json ? `${JSON.stringify(state)}\n` : describe(state, tableWidth(context.stdout)));
  return 0;
}

function describe({ version, workers, rebalance }: ClusterReport, width?: number): string {
  const rows = workers.map(({ host, port, agents, bytes, takesAgents, away }) => [
    ...[`${host}:${port}`, agents, sizeText(bytes)],
    away === undefined ? (takesAgents ? "takes new agents" : "takes moved agents only") : "away",
  ]);
  const moving = rebalance ? `rebalancing: ${rebalance.done} of ${rebalance.total} moved (${rebalance.state})\n` : "";
  return `Citus ${version}\n${moving}${table(["worker", "agents", "size", ""], rows, width)}`;
}

/** Parses a node, such as `worker-1`, `worker-1:5433` or `[::1]:5433`. */
function node(text: string): ClusterNode {
  const [, host = "", port = "5432"] =
    /^(\[[0-9a-fA-F:]+\]|[a-zA-Z0-9][a-zA-Z0-9._-]{0,252})(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === "" || Number(port) > 65_535) throw new InvalidArgumentError("It must be a host, or host:port.");
  return { host, port: Number(port) };
}

function collectNodes(text: string, earlier: ClusterNode[]): ClusterNode[] {
  return [...earlier, node(text)];
}
