import { workerData } from "node:worker_threads";
import { ATTACKS } from "./hostile-attacks.ts";

await ATTACKS[workerData.name]?.(workerData.target);
process.exit(0);
