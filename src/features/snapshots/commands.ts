import type { Command } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import { call } from "../../cli/shell/call.ts";
import { confirmed, destructive } from "../../cli/shell/confirm.ts";
import type { AdminOptions, CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId, instant } from "../../cli/shell/option-parsers.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import { administrative, type Run, subcommand } from "../../cli/shell/shared-options.ts";
import { table } from "../../cli/shell/table.ts";
import type { Snapshot, SnapshotDifference } from "../../client/client.ts";

/** Adds the commands `recollect agents snapshot`, `snapshots` and `rollback`. */
export function addSnapshotCommands(program: Command, context: CliContext, run: Run): void {
  const agents = subcommand(program, "agents");
  administrative(agents.command("snapshot").argument("<id>", "", agentId))
    .description("take a snapshot of an agent's files and facts, for a later rollback")
    .addHelpText(
      ...guide(
        ["recollect agents snapshot main --name before-cleanup --expires 2027-01-31"],
        "recollect agents rollback <id> <snapshot>",
      ),
    )
    .requiredOption("--name <name>", "lower-case letters, digits, dots, dashes")
    .option("--expires <when>", "when the snapshot is deleted: a date or an instant", instant)
    .action((id: string, options: AdminOptions & { name: string; expires?: string }) => {
      const input = { name: options.name, expiresAt: options.expires };
      const said = (one: Snapshot) =>
        `Took ${one.name}: ${countOf(one.files, "file")}, ${countOf(one.facts, "fact")}.\n`;
      return run(call(context, options, (client) => client.agent(id).snapshots.take(input), said));
    });
  administrative(agents.command("snapshots").argument("<id>", "", agentId).argument("[name]"))
    .description("list an agent's snapshots, or show what has changed since one")
    .addHelpText(
      ...guide(
        ["recollect agents snapshots main", "recollect agents snapshots main before-cleanup"],
        "recollect agents rollback <id> <snapshot>",
      ),
    )
    .option("--delete", "delete the named snapshot")
    .action((id: string, name: string | undefined, options: AdminOptions & { delete?: boolean }) =>
      run(snapshots(context, id, name, options)),
    );
  destructive(administrative(agents.command("rollback").argument("<id>", "", agentId).argument("<snapshot>")))
    .description("roll an agent's files and facts back to a snapshot; a snapshot of the present state is taken first")
    .addHelpText(
      ...guide(["recollect agents rollback main before-cleanup --yes"], "recollect agents snapshots <id> <snapshot>"),
    )
    .action((id: string, name: string, options: AdminOptions, command: Command) => {
      const act = () =>
        call(
          context,
          options,
          (client) => client.agent(id).snapshots.rollBack(name),
          ({ undo, ...undone }) =>
            `Undone since the snapshot:\n${differenceText(undone)}To undo the rollback: recollect agents rollback ${id} ${undo}\n`,
        );
      return run(confirmed(context, command, `Roll ${id} back to ${printableLine(name)}?`, act));
    });
}

function snapshots(
  context: CliContext,
  id: string,
  name: string | undefined,
  options: AdminOptions & { delete?: boolean },
): Promise<number> {
  if (name === undefined)
    return call(
      context,
      options,
      (client) => client.agent(id).snapshots.list(),
      (answer, width) =>
        table(
          ["name", "taken", "by", "expires", "files", "facts"],
          answer.snapshots.map((one) => [one.name, one.takenAt, one.takenBy, one.expiresAt, one.files, one.facts]),
          width,
        ),
    );
  if (options.delete)
    return call(
      context,
      options,
      (client) => client.agent(id).snapshots.delete(name),
      ({ deleted }) => `Deleted ${deleted}.\n`,
    );
  return call(context, options, (client) => client.agent(id).snapshots.compare(name), differenceText);
}

/**
 * Returns the differences in the form of a diff: `+` marks an entry that exists now and did not
 * exist in the snapshot.
 */
function differenceText({ files, facts }: SnapshotDifference): string {
  const lines = (sign: string, names: readonly string[]) => names.map((name) => `${sign} ${printableLine(name)}\n`);
  const ids = (all: readonly string[]) => all.map((id) => `facts/${id}`);
  const shown = [
    ...[...lines("+", files.added), ...lines("~", files.changed), ...lines("-", files.removed)],
    ...[...lines("?", files.lost), ...lines("+", ids(facts.added)), ...lines("~", ids(facts.changed))],
    ...lines("-", ids(facts.removed)),
  ];
  return `${shown.join("")}Different: ${countOf(files.total, "file")}, ${countOf(facts.total, "fact")}.\n`;
}
