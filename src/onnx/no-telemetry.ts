import { isMainThread } from "node:worker_threads";

/** The variable that onnxruntime's native code reads when it is loaded. */
const VARIABLE = "ORT_DISABLE_TELEMETRY";

/**
 * Switches onnxruntime's telemetry off for this process. Since 1.30 the native code writes a device
 * id and a database of events to the user's cache folder, and sends the events. Must run in the
 * main thread before any thread loads the native code: in other threads `process.env` is a copy,
 * which native code does not see.
 */
export function switchTelemetryOff(): void {
  if (isMainThread) process.env[VARIABLE] = "1";
}

/** Throws where telemetry could not be switched off. */
export function requireNoTelemetry(): void {
  if (process.env[VARIABLE] === "1") return;
  throw new Error(
    `onnxruntime-node would send telemetry: start the process with ${VARIABLE}=1, or use Recollect in the main thread.`,
  );
}
