/**
 * Puts the built-in model's native engine into `node_modules`, with the files for this platform:
 * 46 MB of 290. Where there are none, or they do not run, it packs the engine in WebAssembly.
 * Runs after an install in a clone, and in the build of the image.
 */
import { spawnSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unpackPackage } from "./unpack-package.ts";

const NAME = "onnxruntime-node";
const MODULES = join(import.meta.dirname, "../node_modules");

/** The platforms that the package has files for. */
const PLATFORMS = ["darwin/arm64", "linux/arm64", "linux/x64", "win32/arm64", "win32/x64"];

const platform = `${process.platform}/${process.arch}`;
if (!PLATFORMS.includes(platform) || !runsUnpacked()) await import("./pack-wasm.ts");

function runsUnpacked(): boolean {
  const to = join(MODULES, NAME);
  const beside = join(MODULES, `.${NAME}`);
  rmSync(beside, { recursive: true, force: true });
  unpackPackage(NAME, ["package.json", "README.md", "dist", `bin/napi-v6/${platform}`], beside);
  rmSync(to, { recursive: true, force: true });
  renameSync(beside, to);
  // Without the variable, the engine would begin to send telemetry when it is loaded.
  const env = { ...process.env, ORT_DISABLE_TELEMETRY: "1" };
  const runs = spawnSync(process.execPath, ["--eval", `require(${JSON.stringify(to)})`], { env }).status === 0;
  // A system whose libraries the engine cannot use, such as Alpine.
  if (!runs) rmSync(to, { recursive: true });
  return runs;
}
