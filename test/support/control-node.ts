import { spawnSync } from "node:child_process";

/**
 * How a server of a cluster goes away: its processes are killed or frozen, or it is cut off from
 * the network.
 */
export type GoesAway = keyof typeof COMES_BACK;

/** The command that brings a server back, by the way in which it went away. */
export const COMES_BACK = { kill: "start", freeze: "thaw", cut: "join" } as const;

/**
 * Makes a server of the cluster go away or come back, with the operator's command.
 *
 * @throws Error if the command fails
 */
export function controlNode(what: GoesAway | (typeof COMES_BACK)[GoesAway], host: string): void {
  const { status } = spawnSync("sh", ["-c", `${process.env.TEST_CITUS_NODE_COMMAND} ${what} ${host}`], {
    stdio: ["ignore", process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error(`TEST_CITUS_NODE_COMMAND did not ${what} ${host}.`);
}
