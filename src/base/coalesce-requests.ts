import { setImmediate } from "node:timers/promises";

/** Questions of one turn at most; who comes later is of the next. */
const MAX_QUESTIONS = 64;
/** What the lists of a turn may have in all. A longer one is asked about alone: nobody small is to wait for it. */
const MAX_ITEMS = 200;
/** Longer nobody waits for an answer to others: a connection that hangs is to hold up only those who have it. */
const MAX_WAIT_MS = 250;

/**
 * Asks a question of a queue: if none is on its way with the others of this turn of the event loop, else with those that come
 * until that is answered. So nobody gets an answer that is older than the question, and many who ask at once cost little more
 * than one.
 *
 * @param ask answers the questions of one turn; of those that wait, the first one's is called, as a part of its request
 * @returns the answer to the whole turn, which all of it share
 * @throws what `ask` throws, to all of the turn
 */
export type Coalescer<Question, Answer> = (
  queue: string,
  question: Question,
  ask: (questions: readonly Question[]) => Promise<Answer>,
) => Promise<Answer>;

interface Batch<Question, Answer> {
  readonly questions: Question[];
  /** How much is asked: a list's length, else one. */
  size: number;
  isSent: boolean;
  answer: Promise<Answer>;
}

/** Queues by name. Each is there while it is used. */
export function createCoalescer<Question, Answer>(): Coalescer<Question, Answer> {
  const latest = new Map<string, Batch<Question, Answer>>();
  return (queue, question, ask) => {
    const size = Array.isArray(question) ? question.length : 1;
    if (size > MAX_ITEMS) return ask([question]);
    const previous = latest.get(queue);
    const hasRoom = previous && previous.questions.length < MAX_QUESTIONS && previous.size + size <= MAX_ITEMS;
    if (previous && !previous.isSent && hasRoom) {
      previous.questions.push(question);
      previous.size += size;
      return previous.answer;
    }
    const batch: Batch<Question, Answer> = { questions: [question], size, isSent: false, answer: undefined as never };
    batch.answer = runBatch(batch, previous, ask).finally(() => {
      if (latest.get(queue) === batch) latest.delete(queue);
    });
    latest.set(queue, batch);
    return batch.answer;
  };
}

async function runBatch<Question, Answer>(
  batch: Batch<Question, Answer>,
  previous: Batch<Question, Answer> | undefined,
  ask: (questions: readonly Question[]) => Promise<Answer>,
): Promise<Answer> {
  if (previous) await settled(previous.answer);
  // Requests that one write has answered come back together: the first alone would make all others wait twice.
  else await setImmediate();
  batch.isSent = true;
  return ask(batch.questions);
}

/** Whether it failed concerns those who asked it. */
async function settled(answer: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  answer.then(
    () => resolve(),
    () => resolve(),
  );
  await promise;
  clearTimeout(timer);
}
