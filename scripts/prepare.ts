import { spawn } from "node:child_process";
import { once } from "node:events";
import { linkAllPackages } from "./install-packages.ts";

// npm runs this script, as `dependencies`, after an install in a clone. A script named `prepare` would do
// so too, but npm then warns each user who installs a packed Recollect that it has an install script.
linkAllPackages();
// One after the other, the builds would wait for the network or use one core.
const builds = ["build:database", "native"];

// With `--omit=dev`, the tools that build the pages (the console and the reference) are missing.
// The pages are not needed then: a user who installs the package has them built. The build of the
// console installs the console's own packages.
try {
  import.meta.resolve("vite");
  builds.push("build:console", "build:reference", "build:command");
} catch (error) {
  if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.log("The console and the reference are not built: development dependencies are not installed.");
}

const ended = builds.map(async (script) => {
  const [code] = await once(spawn(process.execPath, ["--run", script], { stdio: "inherit" }), "exit");
  return code === 0 ? [] : [script];
});
const failed = (await Promise.all(ended)).flat();
if (failed.length > 0) throw new Error(`These builds failed: ${failed.join(", ")}.`);
