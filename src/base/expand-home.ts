import { homedir } from "node:os";

/**
 * A path that begins with `~/`, or is `~`, below the home folder of whoever runs this process; any other path as it is. A
 * shell does this for its words only, not for a file, a container's environment or a request.
 */
export function expandHome(path: string, home: string = homedir()): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home.replace(/\/+$/, "")}${path.slice(1)}` : path;
}
