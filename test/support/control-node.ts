import { spawnSync } from "node:child_process";

/** How a server of a cluster goes away: its processes are killed, stand still, or are cut off from the network. */
export type GoesAway = keyof typeof COMES_BACK;

/** What brings a server back, by what it went away by. */
export const COMES_BACK = { kill: "start", freeze: "thaw", cut: "join" } as const;

/** Has a server of the cluster go away or come back, by the operator's command. @throws Error when the command fails */
export function controlNode(what: GoesAway | (typeof COMES_BACK)[GoesAway], host: string): void {
  const { status } = spawnSync("sh", ["-c", `${process.env.TEST_CITUS_NODE_COMMAND} ${what} ${host}`], {
    stdio: ["ignore", process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error(`TEST_CITUS_NODE_COMMAND did not ${what} ${host}.`);
}
