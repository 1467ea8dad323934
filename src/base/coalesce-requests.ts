import { yieldToLoop } from "./yield-to-loop.ts";

/** The most requests of one batch; later requests go into the next batch. */
const MAX_QUESTIONS = 64;
/**
 * The most items of a batch. A longer list is sent alone, so that no small request waits for it.
 */
const MAX_ITEMS = 200;
/**
 * How long a batch waits for the batch before it, unless told otherwise. A connection that hangs
 * must hold up only the requests that use it.
 */
const MAX_WAIT_MS = 250;

/**
 * Coalesces requests of a queue. If no batch is in flight, a request joins the other requests of
 * this turn of the event loop. A request that arrives while a batch is in flight joins the next
 * batch. So no answer is older than its request, and many requests at once cost little more than
 * one.
 *
 * @param ask answers a batch; the function of the batch's first request is called, in the context
 *   of that request
 * @returns the answer to the whole batch, which its requests share
 * @throws the error of `ask`, to every request of the batch
 */
export type Coalescer<Question, Answer> = (
  queue: string,
  question: Question,
  ask: (questions: readonly Question[]) => Promise<Answer>,
) => Promise<Answer>;

interface Batch<Question, Answer> {
  readonly questions: Question[];
  /** The number of items: a list's length, else one. */
  size: number;
  isSent: boolean;
  answer: Promise<Answer>;
}

/**
 * Creates a coalescer of queues by name. A queue exists while it is used.
 *
 * @param maxWaitMs how long a batch waits for the batch before it
 */
export function createCoalescer<Question, Answer>(maxWaitMs = MAX_WAIT_MS): Coalescer<Question, Answer> {
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
    batch.answer = runBatch(batch, previous, ask, maxWaitMs).finally(() => {
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
  maxWaitMs: number,
): Promise<Answer> {
  if (previous) await settled(previous.answer, maxWaitMs);
  // Clients that were answered by one write send their next requests at the same time. If the first
  // of these requests were sent alone, the others would wait twice.
  else await yieldToLoop();
  batch.isSent = true;
  return ask(batch.questions);
}

/**
 * Waits until the batch before has ended, but not longer than `maxWaitMs`. If that batch failed,
 * only its own requests get the error.
 */
async function settled(answer: Promise<unknown>, maxWaitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxWaitMs);
  answer.then(
    () => resolve(),
    () => resolve(),
  );
  await promise;
  clearTimeout(timer);
}
