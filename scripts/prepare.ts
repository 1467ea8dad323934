import { execFileSync } from "node:child_process";

// npm runs this after an install in a clone.
execFileSync(process.execPath, ["--run", "build:database"], { stdio: "inherit" });

// With `--omit=dev` there is nothing to build the pages with, the console and the
// reference, and no need: who installs the package has them built.
try {
  import.meta.resolve("vite");
  execFileSync(process.execPath, ["--run", "build:pages"], { stdio: "inherit" });
} catch (error) {
  if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.log("The console and the reference are not built: development dependencies are not installed.");
}
