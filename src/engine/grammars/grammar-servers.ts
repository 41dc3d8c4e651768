import { IsolatedProcess, IsolationLost } from '../../util/workers/isolated-process.ts';
import type { GrammarReply, GrammarRequest } from './grammar-requests.ts';
import { type GrammarProcess, grammarProcessFile } from './load-vocabulary.ts';

// Each token waits for its mask, so these processes have the priority of the model.
const limits = { heapMb: 384, memoryMb: 1_024, niceness: 0 };
const idleMs = 60_000;

/** The processes that compute masks: one for quick grammars, and one for slow grammars so that they delay no others. */
export class GrammarServers {
  readonly #processes: { quick: GrammarProcess | null; slow: GrammarProcess | null } = { quick: null, slow: null };
  #isClosed = false;

  /** Starts the process for these grammars if it is not running. */
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
