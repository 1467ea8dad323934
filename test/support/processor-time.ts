/**
 * Starts to count the processor time of this thread. Other processes do not stretch it, as they do
 * elapsed time.
 *
 * @returns a function that returns the milliseconds since the start
 */
export function processorTime(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
}
