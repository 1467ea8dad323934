import type { WaitStrategy } from "testcontainers";

type Container = Parameters<WaitStrategy["waitUntilReady"]>[0];

/** The number of log lines in the error about a container that did not start. */
const LINES = 20;
/** The bytes before each piece of a log: its stream, three zeros, and its length. */
const HEADER_BYTES = 8;

/**
 * Returns the wait strategy with another error: it says whether the container has ended, and has the
 * last lines of its log without secrets.
 *
 * @param name what runs in the container, at the start of a sentence
 * @param env the container's variables
 */
export function explainingExit(inner: WaitStrategy, name: string, env: Readonly<Record<string, string>>): WaitStrategy {
  const strategy: WaitStrategy = {
    waitUntilReady: async (container, ports, startTime) => {
      // testcontainers reads logs over a connection that does not keep this process alive.
      const alive = setInterval(() => undefined, 60_000);
      try {
        await inner.waitUntilReady(container, ports, startTime);
      } catch (cause) {
        const reason = await reasonOf(container, inner.getStartupTimeout()).catch(() => `was not ready: ${cause}`);
        // The message of the cause has the log too, with the secrets.
        throw new Error(withoutSecrets(`${name} ${reason}`, env));
      } finally {
        clearInterval(alive);
      }
    },
    withStartupTimeout: (timeoutMs) => {
      inner.withStartupTimeout(timeoutMs);
      return strategy;
    },
    isStartupTimeoutSet: () => inner.isStartupTimeoutSet(),
    getStartupTimeout: () => inner.getStartupTimeout(),
  };
  return strategy;
}

async function reasonOf(container: Container, timeoutMs: number): Promise<string> {
  const { State: state } = await container.inspect();
  const log = textOf(await container.logs({ follow: false, stdout: true, stderr: true, tail: LINES })).trim();
  const what = state.Running ? `was not ready after ${timeoutMs / 1000} s` : `ended with exit code ${state.ExitCode}`;
  return log === "" ? `${what}, and its log is empty.` : `${what}. The end of its log:\n${log}`;
}

function textOf(log: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + HEADER_BYTES <= log.length; ) {
    const end = at + HEADER_BYTES + log.readUInt32BE(at + 4);
    pieces.push(log.subarray(at + HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(pieces).toString();
}

function withoutSecrets(text: string, env: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(env).filter(
    ([name, value]) => value !== "" && (/KEY|PASSWORD|SECRET|TOKEN|HEADERS/.test(name) || value.includes("@")),
  );
  // Longer ones first, because one may be the beginning of another.
  secrets.sort(([, one], [, other]) => other.length - one.length);
  return secrets.reduce((left, [name, value]) => left.replaceAll(value, `<${name}>`), text);
}
