/**
 * Resolves at the first SIGTERM or SIGINT. A second signal ends the process at once, for a user who
 * does not want to wait.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => process.exit(1));
      resolve(signal);
    };
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
  });
}

/** Returns an AbortSignal that is aborted at the first SIGTERM or SIGINT, for work that runs on. */
export function stopping(): AbortSignal {
  const controller = new AbortController();
  void stopSignal().then(() => controller.abort());
  return controller.signal;
}
