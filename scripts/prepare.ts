import { execFileSync } from "node:child_process";

// npm runs this script after an install in a clone.
execFileSync(process.execPath, ["--run", "build:database"], { stdio: "inherit" });

// With `--omit=dev`, the tools that build the pages (the console and the reference) are missing.
// The pages are not needed then: a user who installs the package has them built.
try {
  import.meta.resolve("vite");
  execFileSync(process.execPath, ["--run", "build:pages"], { stdio: "inherit" });
} catch (error) {
  if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.log("The console and the reference are not built: development dependencies are not installed.");
}
