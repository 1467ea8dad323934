import { setImmediate } from "node:timers/promises";

/** Questions of one turn at most; who comes later is of the next. */
const MAX_QUESTIONS = 64;
/** What the lists of a turn may have in all. A longer one is asked about alone: nobody small is to wait for it. */
const MAX_LISTED = 200;
/** Longer nobody waits for an answer to others: a connection that hangs is to hold up only those who have it. */
const PATIENCE_MS = 250;

/**
 * Asks a question of a queue: if none is on its way with the others of this turn of the event loop, else with those that come
 * until that is answered. So nobody gets an answer that is older than the question, and many who ask at once cost little more
 * than one.
 *
 * @param ask answers the questions of one turn; of those that wait, the first one's is called, as a part of its request
 * @returns the answer to the whole turn, which all of it share
 * @throws what `ask` throws, to all of the turn
 */
export type AskTogether<Question, Answer> = (
  queue: string,
  question: Question,
  ask: (questions: readonly Question[]) => Promise<Answer>,
) => Promise<Answer>;

interface Turn<Question, Answer> {
  readonly questions: Question[];
  /** How much is asked: a list's length, else one. */
  size: number;
  isAsked: boolean;
  answer: Promise<Answer>;
}

/** Queues by name. Each is there while it is used. */
export function createAskTogether<Question, Answer>(): AskTogether<Question, Answer> {
  const last = new Map<string, Turn<Question, Answer>>();
  return (queue, question, ask) => {
    const size = Array.isArray(question) ? question.length : 1;
    if (size > MAX_LISTED) return ask([question]);
    const before = last.get(queue);
    const hasRoom = before && before.questions.length < MAX_QUESTIONS && before.size + size <= MAX_LISTED;
    if (before && !before.isAsked && hasRoom) {
      before.questions.push(question);
      before.size += size;
      return before.answer;
    }
    const turn: Turn<Question, Answer> = { questions: [question], size, isAsked: false, answer: undefined as never };
    turn.answer = takeTurn(turn, before, ask).finally(() => {
      if (last.get(queue) === turn) last.delete(queue);
    });
    last.set(queue, turn);
    return turn.answer;
  };
}

async function takeTurn<Question, Answer>(
  turn: Turn<Question, Answer>,
  before: Turn<Question, Answer> | undefined,
  ask: (questions: readonly Question[]) => Promise<Answer>,
): Promise<Answer> {
  if (before) await settled(before.answer);
  // Requests that one write has answered come back together: the first alone would make all others wait twice.
  else await setImmediate();
  turn.isAsked = true;
  return ask(turn.questions);
}

/** Whether it failed concerns those who asked it. */
async function settled(answer: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  answer.then(
    () => resolve(),
    () => resolve(),
  );
  await promise;
  clearTimeout(timer);
}
