import type { IsolatedProcess } from '../../util/workers/isolated-process.ts';
import type { GrammarReply, GrammarRequest, GrammarVocabulary } from './grammar-requests.ts';

export type GrammarProcess = IsolatedProcess<GrammarRequest, GrammarReply>;

export const grammarProcessFile = new URL('./grammar-process.ts', import.meta.url);

const vocabularyTimeoutMs = 30_000;
const taught = new WeakMap<GrammarProcess, Map<string, Promise<unknown>>>();

/** Tells a process a vocabulary, once. */
export async function teach(process: GrammarProcess, vocabulary: GrammarVocabulary): Promise<void> {
  const known = taught.get(process) ?? new Map<string, Promise<unknown>>();
  taught.set(process, known);
  let told = known.get(vocabulary.key);
  if (!told) {
    told = process.call({ kind: 'vocabulary', vocabulary }, { timeoutMs: vocabularyTimeoutMs, alone: true });
    known.set(vocabulary.key, told);
  }
  await told;
}
