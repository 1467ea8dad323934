/** Error codes while Postgres is away, is overloaded, or ended before it confirmed a commit. */
const PASSING = new Set(["database_unavailable", "database_busy", "outcome_unknown"]);

/** The way in which a client reaches the service: the URL, and the key of a tenant. */
export interface Access {
  url: string;
  key: string;
}

/** The observations of all clients of a run. */
export interface ClientLog {
  /** Answers that no crash excuses. */
  problems: string[];
  /** Requests by their outcome: a status with its code, or `none` for no answer. */
  answers: Map<string, number>;
  /**
   * Whether the database refuses writes. Meanwhile any server error with a code and a message means
   * "not carried out".
   */
  outage: boolean;
  /** The number of outages so far. */
  outages: number;
}

export interface CrashRequest {
  method: string;
  path: string;
  body?: unknown;
  /** The Idempotency-Key of every try. */
  once?: string | undefined;
}

export interface Answer {
  status: number;
  /** The code of an error. */
  code: string | undefined;
  body: unknown;
}

export function newLog(): ClientLog {
  return { problems: [], answers: new Map(), outage: false, outages: 0 };
}

/**
 * Sends one request.
 *
 * @returns undefined if there is no answer, or the answer leaves open whether the request was
 * carried out
 */
export async function send(access: Access, log: ClientLog, request: CrashRequest): Promise<Answer | undefined> {
  const count = (what: string) => log.answers.set(what, (log.answers.get(what) ?? 0) + 1);
  const before = { ...log };
  let answer: { status: number; text: string };
  try {
    const once = request.once === undefined ? {} : { "idempotency-key": request.once };
    const headers = { authorization: `Bearer ${access.key}`, "content-type": "application/json", ...once };
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    const response = await fetch(new URL(request.path, access.url), { method: request.method, headers, ...body });
    answer = { status: response.status, text: await response.text() };
  } catch {
    count("none");
    return undefined;
  }
  const { status } = answer;
  const body = JSON.parse(answer.text) as { error?: { code?: string; message?: string } };
  const code = status >= 400 ? body.error?.code : undefined;
  const outcome = status >= 400 ? `${status} ${code}` : `${status}`;
  count(outcome);
  if (status < 500 && code !== "idempotency_key_in_use") return { status, code, body };
  const outage = log.outage || before.outage || log.outages > before.outages;
  const excused = PASSING.has(code ?? "") || code === "idempotency_key_in_use" || outage;
  if (!excused || !code || !body.error?.message) log.problems.push(`${request.method} ${request.path}: ${outcome}`);
  return undefined;
}

/**
 * Pauses before another try, so that a service that is away does not get a thousand requests a
 * second.
 */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a request until it is answered.
 *
 * @param first the allowed statuses of the first try
 * @param again further statuses that a later try may have, because an earlier one may have been
 * carried out
 */
export async function insist(
  access: Access,
  log: ClientLog,
  request: CrashRequest,
  first: readonly number[] = [200],
  again: readonly number[] = [],
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send(access, log, request);
    if (answer) {
      const { status, code } = answer;
      if (!first.includes(status) && !(tries > 1 && again.includes(status)))
        log.problems.push(`${request.method} ${request.path}: ${status} ${code} at try ${tries}`);
      return answer;
    }
    await pause(100);
  }
}
