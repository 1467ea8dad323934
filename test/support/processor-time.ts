/**
 * Starts to count the processor time of this thread, which other processes don't stretch as they do time by the clock.
 *
 * @returns the milliseconds since
 */
export function processorTime(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
}
