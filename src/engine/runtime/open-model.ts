import assert from 'node:assert/strict';
import { thread } from '../../util/workers/start-worker.ts';
import { WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import type { AdapterId } from '../adapter-id.ts';
import { ModelTooLargeError } from '../memory/plan-memory.ts';
import { UnsupportedModelError } from '../models/config.ts';

import type { CachedSequence, LoadedModel, OpenOptions, StepRequest } from './types.ts';
import type { ModelThread } from './worker.ts';

/** Maximum time for a model to finish its step and close. */
const closeMsMax = 30_000;

/**
 * Loads a Hugging Face folder or a GGUF file in a separate thread.
 * @throws UnsupportedModelError, ModelTooLargeError, or an error about the files
 */
export async function openModel(path: string, { onLost, ...options }: OpenOptions): Promise<LoadedModel> {
  // Must be set before ONNX Runtime loads. Disables its telemetry and the id that it stores in the home directory.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  let isOpen = false;
  const worker = new WorkerClient<ModelThread>(thread(new URL('./worker.ts', import.meta.url)), {
    errors: [UnsupportedModelError, ModelTooLargeError],
    onEnd({ cause }, isExpected) {
      if (isOpen && !isExpected) onLost?.(closedError(cause));
    },
  });
  const { config, plan, isApproximate } = await worker.request('open', { path, options }).catch(async (error) => {
    await worker.kill();
    throw error instanceof WorkerLost ? closedError(error.end?.cause) : error;
  });
  isOpen = true;
  const { contextMax, cacheBytesMax, cacheBytesMin } = plan;
  let lastId = 0;
  const create = (length: number, adapterId: AdapterId | null) => ({ id: ++lastId, length, adapterId });
  return {
    config,
    isApproximate,
    vocabSize: config.vocabSize,
    contextMax,
    cacheBytesMax,
    cacheBytesMin,
    createSequence: (adapterId = null) => create(0, adapterId),
    async step(requests) {
      checkRequests(requests, config.vocabSize, contextMax);
      const results = await worker.request('step', requests).catch(failClosed);
      for (const [i, { sequence, tokens }] of requests.entries()) {
        if (results[i]!.kind !== 'cacheFull') setLength(sequence, sequence.length + tokens.length);
      }
      return results;
    },
    async fork(sequence, length) {
      assert(length <= sequence.length, `a sequence of ${sequence.length} tokens has no first ${length}`);
      const copy = create(length, sequence.adapterId);
      const isForked = await worker.request('fork', { from: sequence.id, to: copy.id, length }).catch(failClosed);
      return isForked ? copy : null;
    },
    async keep(sequence, first, count) {
      const id = ++lastId;
      const isKept = await worker.request('keep', { sequence: sequence.id, id, first, count }).catch(failClosed);
      return isKept ? { id, length: count } : null;
    },
    async resume(parts, adapterId) {
      const length = parts.reduce((sum, { count }) => sum + count, 0);
      const sequence = create(length, adapterId);
      const places = parts.map(({ kept, count }) => ({ id: kept.id, count }));
      const isResumed = await worker.request('resume', { sequence: sequence.id, parts: places }).catch(failClosed);
      return isResumed ? sequence : null;
    },
    async splitKept({ id, length }, count) {
      const restId = ++lastId;
      await worker.request('splitKept', { id, count, restId }).catch(failClosed);
      return [
        { id, length: count },
        { id: restId, length: length - count },
      ];
    },
    dropKept({ id }) {
      worker.request('dropKept', id).catch(() => {}); // they are lost anyway if the thread has ended
    },
    truncate(sequence, length) {
      setLength(sequence, Math.min(sequence.length, length));
    },
    release(sequence) {
      // No caller waits for it, and the sequence is lost anyway if the thread has ended.
      worker.request('release', sequence.id).catch(() => {});
    },
    limitCache: (bytesMax) => worker.request('limitCache', bytesMax).catch(failClosed),
    cacheBytes: () => worker.request('cacheBytes', null).catch(failClosed),
    addAdapter(id, adapter) {
      const transfer = [adapter.weights.buffer as ArrayBuffer];
      return worker.request('addAdapter', { id, adapter }, { transfer }).catch(failClosed);
    },
    removeAdapter: (id) => worker.request('removeAdapter', id).catch(failClosed),
    close: () => worker.close(closeMsMax),
  };
}

function failClosed(error: Error): never {
  throw error instanceof WorkerLost ? closedError(error.end?.cause) : error;
}

function closedError(cause: Error | undefined): Error {
  return cause ? new Error('The thread of the model has failed.', { cause }) : new Error('The model is closed.');
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
