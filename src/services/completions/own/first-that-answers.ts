import type { GenerationEvent, TextGeneration } from '../../../chat/types.ts';
import type { Answerer } from './answerer.ts';

type Faults = {
  /** An answerer failed before its first token, and another one is asked. */
  failed(answerer: string, error: Error): void;
  /** This one answers. */
  answers(answerer: Answerer): void;
};

/**
 * Asks one after another until one has its first token. With the last one, nothing is waited for. Answerers are opened only when they
 * are needed, and a failure to do so is theirs.
 * @throws the error of the last one
 */
export async function firstThatAnswers(
  candidates: readonly { name: string; open(): Promise<Answerer> }[],
  ask: (answerer: Answerer) => Promise<TextGeneration>,
  signal: AbortSignal,
  faults: Faults,
): Promise<TextGeneration> {
  for (const [index, { name, open }] of candidates.entries()) {
    const isLast = index === candidates.length - 1;
    try {
      const answerer = await open();
      const generation = await ask(answerer);
      const begun = isLast ? generation : await untilFirstToken(generation);
      faults.answers(answerer);
      return begun;
    } catch (error) {
      if (signal.aborted || isLast) throw error;
      faults.failed(name, error as Error);
    }
  }
  throw new Error('no candidates');
}

/** Resolves when the first token has arrived. The events begin with those that came before it. */
async function untilFirstToken(generation: TextGeneration): Promise<TextGeneration> {
  const iterator = generation.events[Symbol.asyncIterator]();
  const first: GenerationEvent[] = [];
  let isOver = false;
  while (!isOver && first.at(-1)?.kind !== 'choice') {
    const { done, value } = await iterator.next();
    if (done) isOver = true;
    else first.push(value);
  }
  return { ...generation, events: continued(first, iterator, isOver) };
}

async function* continued(first: GenerationEvent[], iterator: AsyncIterator<GenerationEvent>, isOver: boolean) {
  let ended = isOver;
  try {
    yield* first;
    while (!ended) {
      const { done, value } = await iterator.next();
      ended = done === true;
      if (!done) yield value;
    }
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    if (!ended) await iterator.return?.();
  }
}
