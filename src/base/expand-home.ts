import { homedir } from "node:os";

/**
 * Returns a path that is `~`, or begins with `~/`, as a path below the home folder of the user who
 * runs this process; returns any other path unchanged. A shell expands `~` only in its own words,
 * not in a file, a container's environment or a request.
 */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home.replace(/\/+$/, "")}${path.slice(1)}` : path;
}
