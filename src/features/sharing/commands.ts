import type { Command } from "commander";
import { call } from "../../cli/shell/call.ts";
import type { AdminOptions, CliContext } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId } from "../../cli/shell/option-parsers.ts";
import { administrative, type Run, subcommand } from "../../cli/shell/shared-options.ts";
import { table } from "../../cli/shell/table.ts";
import type { Share, ShareTerms } from "../../client/client.ts";

type ShareOptions = AdminOptions & { folder?: string[]; sessions?: boolean };

/** Adds the commands that share memories between agents, as a part of `recollect agents …`. */
export function addShareCommands(program: Command, context: CliContext, run: Run): void {
  const agents = subcommand(program, "agents");
  addOffers(agents, context, run);
  addReads(agents, context, run);
  administrative(agents.command("shares").argument("<id>", "", agentId))
    .description("list the memories that an agent offers to others, and that others offer to it")
    .addHelpText(...guide(["recollect agents shares handbook"], "recollect agents share <id> <reader>"))
    .action((id: string, options: AdminOptions) =>
      run(
        call(
          context,
          options,
          async (client) => {
            const { shares, reads } = client.agent(id);
            return { shares: (await shares.list()).shares, reads: (await reads.list()).shares };
          },
          rowsOf,
        ),
      ),
    );
}

/** Adds a command about two agents. */
function pair(agents: Command, name: string, other: string): Command {
  return administrative(agents.command(name).argument("<id>", "", agentId).argument(other, "", agentId));
}

function addOffers(agents: Command, context: CliContext, run: Run): void {
  pair(agents, "share", "<reader>")
    .description("offer an agent's memory to another agent, read-only; the other agent accepts it with `read`")
    .addHelpText(
      ...guide(
        ["recollect agents share handbook support", "recollect agents share handbook support --folder rules"],
        "recollect agents read <reader> <id>",
      ),
    )
    .option("--folder <path...>", "only these folders of files, not the whole memory")
    .option("--sessions", "conversations too; only with the whole memory")
    .action((id: string, reader: string, { folder, sessions, ...options }: ShareOptions) => {
      const terms: ShareTerms = { ...(folder ? { folders: folder } : {}), ...(sessions ? { sessions } : {}) };
      const done = `${id} offers its memory to ${reader}. Accept the offer with: recollect agents read ${reader} ${id}\n`;
      return run(
        call(
          context,
          options,
          (client) => client.agent(id).shares.offer(reader, terms),
          ({ takenAt }) => (takenAt === null ? done : `${reader} reads the memory of ${id}.\n`),
        ),
      );
    });
  pair(agents, "unshare", "<reader>")
    .description("withdraw an agent's offer to another agent")
    .addHelpText(...guide(["recollect agents unshare handbook support"], "recollect agents shares <id>"))
    .action((id: string, reader: string, options: AdminOptions) => {
      const withdraw = () => `${reader} cannot read the memory of ${id}.\n`;
      return run(call(context, options, (client) => client.agent(id).shares.withdraw(reader), withdraw));
    });
}

function addReads(agents: Command, context: CliContext, run: Run): void {
  pair(agents, "read", "<sharer>")
    .description("accept another agent's offer: an agent's searches then read that memory too")
    .addHelpText(...guide(["recollect agents read support handbook"], "recollect search <query> --agent <id>"))
    .action((id: string, sharer: string, options: AdminOptions) => {
      const taken = () => `${id} reads the memory of ${sharer}, as @${sharer}/….\n`;
      return run(call(context, options, (client) => client.agent(id).reads.take(sharer), taken));
    });
  pair(agents, "unread", "<sharer>")
    .description("stop reading another agent's memory")
    .addHelpText(...guide(["recollect agents unread support handbook"], "recollect agents shares <id>"))
    .action((id: string, sharer: string, options: AdminOptions) =>
      run(
        call(
          context,
          options,
          (client) => client.agent(id).reads.leave(sharer),
          () => `${id} no longer reads the memory of ${sharer}.\n`,
        ),
      ),
    );
}

function rowsOf({ shares, reads }: { shares: Share[]; reads: Share[] }, width?: number): string {
  const row = (how: string) => (one: Share) => [
    ...[how, one.agentId, one.folders.length === 0 ? "all" : one.folders.join(", ")],
    ...[one.sessions ? "yes" : "no", one.takenAt === null ? "offered" : "read"],
  ];
  const rows = [...shares.map(row("to")), ...reads.map(row("from"))];
  return rows.length === 0 ? "Nothing is shared.\n" : table(["", "agent", "of", "sessions", "state"], rows, width);
}
