import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import type { AdapterId } from '../adapter-id.ts';
import { UnsupportedModelError } from '../models/config.ts';
import { ModelTooLargeError } from './memory.ts';
import type { Answer, AnswerValue, Asked, WireError, WorkerStart } from './protocol.ts';
import type { CachedSequence, LoadedModel, OpenOptions, StepRequest, StepResult } from './types.ts';

type Question = Asked extends infer Each ? (Each extends Asked ? Omit<Each, 'id'> : never) : never;

/**
 * Loads a Hugging Face folder or a GGUF file on a thread of its own.
 * @throws UnsupportedModelError, ModelTooLargeError, or what is wrong with the files
 */
export async function openModel(path: string, { onLost, ...options }: OpenOptions): Promise<LoadedModel> {
  // Read by ONNX Runtime before anything else: it would report to its makers, and leave an id in the home directory.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { path, options } satisfies WorkerStart,
  });
  const { config, contextMax } = await opened(worker);
  let isClosing = false;
  const ask = askThrough(worker, (reason) => {
    if (!isClosing) onLost?.(reason);
  });
  let lastId = 0;
  const create = (length: number, adapterId: AdapterId | null) => ({ id: ++lastId, length, adapterId });
  return {
    config,
    vocabSize: config.vocabSize,
    contextMax,
    createSequence: (adapterId = null) => create(0, adapterId),
    async step(requests) {
      checkRequests(requests, config.vocabSize, contextMax);
      const results = (await ask({ type: 'step', requests })) as StepResult[];
      for (const [i, { sequence, tokens }] of requests.entries()) {
        if (results[i]!.kind !== 'cacheFull') setLength(sequence, sequence.length + tokens.length);
      }
      return results;
    },
    async fork(sequence, length) {
      assert(length <= sequence.length, `a sequence of ${sequence.length} tokens has no first ${length}`);
      const copy = create(length, sequence.adapterId);
      return (await ask({ type: 'fork', from: sequence.id, to: copy.id, length })) ? copy : null;
    },
    truncate(sequence, length) {
      setLength(sequence, Math.min(sequence.length, length));
    },
    release(sequence) {
      // Nobody waits for it; if the thread is gone, so is the sequence.
      ask({ type: 'release', sequence: sequence.id }).catch(() => {});
    },
    cacheBytes: async () => (await ask({ type: 'cacheBytes' })) as number,
    async close() {
      isClosing = true;
      await ask({ type: 'close' });
      await worker.terminate();
    },
  };
}

async function opened(worker: Worker): Promise<Extract<Answer, { type: 'opened' }>> {
  const { promise, resolve, reject } = Promise.withResolvers<Extract<Answer, { type: 'opened' }>>();
  const onMessage = (answer: Answer) => {
    if (answer.type === 'opened') resolve(answer);
    else if (answer.type === 'failed') reject(fromWire(answer.error));
  };
  worker.on('error', reject).on('message', onMessage);
  try {
    return await promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    worker.off('error', reject).off('message', onMessage);
  }
}

/** @returns a function that sends a question and waits for its answer. Once the thread has ended, every question fails. */
function askThrough(worker: Worker, onEnd: (reason: Error) => void): (question: Question) => Promise<AnswerValue> {
  const waiting = new Map<number, PromiseWithResolvers<AnswerValue>>();
  let lastId = 0;
  let ended: Error | undefined;
  const end = (reason: Error) => {
    if (ended === undefined) onEnd(reason);
    ended ??= reason;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on('message', (answer: Answer) => {
    if (answer.type === 'opened') return;
    const question = waiting.get(answer.id ?? 0);
    waiting.delete(answer.id ?? 0);
    if (answer.type === 'answered') question?.resolve(answer.value);
    else question?.reject(fromWire(answer.error));
  });
  worker.on('error', (cause) => end(new Error('The thread of the model has failed.', { cause })));
  worker.on('exit', () => end(new Error('The model is closed.')));
  return (question) => {
    if (ended !== undefined) return Promise.reject(ended);
    const id = ++lastId;
    const answer = Promise.withResolvers<AnswerValue>();
    waiting.set(id, answer);
    worker.postMessage({ ...question, id });
    return answer.promise;
  };
}

function fromWire({ name, message }: WireError): Error {
  const known = [UnsupportedModelError, ModelTooLargeError].find((each) => each.name === name);
  return known === undefined ? new Error(message) : new known(message);
}

function checkRequests(requests: StepRequest[], vocabSize: number, contextMax: number): void {
  const ids = new Set(requests.map(({ sequence }) => sequence.id));
  assert.equal(ids.size, requests.length, 'a sequence takes part in a step once');
  for (const { sequence, tokens, wanted, reduce } of requests) {
    const length = sequence.length + tokens.length;
    assert(tokens.length > 0, 'a step takes at least one token of each sequence');
    assert(length <= contextMax, `${length} tokens are more than the ${contextMax} of the model's context`);
    assert(
      tokens.every((token) => token >= 0 && token < vocabSize),
      'a token is beyond the vocabulary',
    );
    if (reduce === undefined) continue;
    const rows = wanted === 'all' ? tokens.length : wanted === 'last' ? 1 : 0;
    assert(reduce.top >= 1 && reduce.top <= vocabSize, `${reduce.top} tokens of ${vocabSize} cannot be the highest`);
    assert(reduce.targets === undefined || reduce.targets.length === rows, `${rows} rows have a target each`);
  }
}

function setLength(sequence: CachedSequence, length: number): void {
  (sequence as { -readonly [Key in keyof CachedSequence]: CachedSequence[Key] }).length = length;
}
