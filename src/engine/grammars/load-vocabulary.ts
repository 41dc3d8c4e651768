import type { IsolatedProcess } from '../../util/workers/isolated-process.ts';
import type { GrammarReply, GrammarRequest, GrammarVocabulary } from './grammar-requests.ts';

export type GrammarProcess = IsolatedProcess<GrammarRequest, GrammarReply>;

export const grammarProcessFile = new URL('./grammar-process.ts', import.meta.url);

const vocabularyTimeoutMs = 30_000;
const loadedInto = new WeakMap<GrammarProcess, Map<string, Promise<unknown>>>();

/** Sends a vocabulary to a process that does not have it yet. */
export async function loadVocabulary(process: GrammarProcess, vocabulary: GrammarVocabulary): Promise<void> {
  const loaded = loadedInto.get(process) ?? new Map<string, Promise<unknown>>();
  loadedInto.set(process, loaded);
  let loading = loaded.get(vocabulary.key);
  if (!loading) {
    loading = process.call({ kind: 'vocabulary', vocabulary }, { timeoutMs: vocabularyTimeoutMs, alone: true });
    loaded.set(vocabulary.key, loading);
  }
  await loading;
}
