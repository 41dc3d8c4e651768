import { IsolatedProcess, IsolationLost } from '../../util/workers/isolated-process.ts';
import type { GrammarReply, GrammarRequest } from './grammar-requests.ts';
import { type GrammarProcess, grammarProcessFile } from './load-vocabulary.ts';

// Each token waits for its mask, so these run at the model's own priority.
const limits = { heapMb: 384, memoryMb: 1_024, niceness: 0 };
const idleMs = 60_000;

/** The processes that serve masks: one for quick grammars, one for slow ones, so that these do not delay the others. */
export class GrammarServers {
  readonly #processes: { quick: GrammarProcess | null; slow: GrammarProcess | null } = { quick: null, slow: null };
  #isClosed = false;

  /** The process for these grammars, started if there is none. */
  process(kind: 'quick' | 'slow'): GrammarProcess {
    if (this.#isClosed) throw new IsolationLost('closed', false);
    const known = this.#processes[kind];
    if (known?.isAlive) return known;
    const started = new IsolatedProcess<GrammarRequest, GrammarReply>(grammarProcessFile, limits, { idleMs });
    this.#processes[kind] = started;
    return started;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#processes.quick?.close(), this.#processes.slow?.close()]);
  }
}
