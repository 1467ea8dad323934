import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { linkPackages } from "./install-packages.ts";

/**
 * Checks the types of the repository, and of each folder with a configuration of its own. Of a
 * folder whose packages are not installed it says so. `npm run packages <folder>` installs them.
 */
const FOLDERS = ["test/adapters", "test/architecture", "test/console"];
/** The compiler, with the Node.js that runs this. */
const TSC = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");

const failed = [".", "console", ...FOLDERS].filter((folder) => {
  if (FOLDERS.includes(folder)) {
    if (!existsSync(join(folder, "node_modules"))) {
      console.log(`${folder}: not checked, its packages are not installed (npm run packages ${folder}).`);
      return false;
    }
    linkPackages(folder);
  }
  return spawnSync(process.execPath, [TSC, "-p", folder], { stdio: "inherit" }).status !== 0;
});
if (failed.length > 0) process.exitCode = 1;
