import { LRUCache } from 'lru-cache';
import type { Model } from '../domain/model.ts';
import type { ProcessOffer } from '../domain/process-offer.ts';
import type { MemoryBudget } from '../engine/memory/memory-budget.ts';
import type { OwnInference } from '../inference/own/own-inference.ts';
import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';

type Parts = {
  address: Pick<ProcessOffer, 'protocol' | 'host' | 'port'>;
  peers: Peers;
  models: Models;
  memory: Pick<MemoryBudget, 'freeBytes'>;
  own: Pick<OwnInference, 'openModels'>;
  /** When it aborts, nothing is offered any more. */
  draining: AbortSignal;
};

/** Tells the other processes what this one offers, whenever it changes. */
export async function keepOffer({ address, peers, models, memory, own, draining }: Parts) {
  const overflow = new LRUCache<string, true>({ max: overflowMax });
  let files: string[] = [];
  let listed: Model[] = [];
  let isOutdated = true;
  let sent = '';
  peers.on('models', () => {
    isOutdated = true;
  });
  await readFiles();
  send();

  async function readFiles(): Promise<void> {
    isOutdated = false;
    try {
      [files, listed] = await Promise.all([models.idsWithFiles(), models.list()]);
    } catch {
      isOutdated = true; // PostgreSQL may be away
    }
  }

  function current(): ProcessOffer {
    const open = own.openModels();
    const { freeBytes } = memory;
    const withoutRoom = listed.filter(
      ({ id, memoryBytes }) =>
        files.includes(id) && (memoryBytes ?? 0) > freeBytes && !open.some((each) => each.id === id),
    );
    return { ...address, files, open, withoutRoom: withoutRoom.map(({ id }) => id), overflow: [...overflow.keys()] };
  }

  function send(): void {
    const offer = draining.aborted ? null : current();
    const text = JSON.stringify(offer);
    if (text === sent) return;
    sent = text;
    peers.offer(offer);
  }

  draining.addEventListener('abort', send);
  let ticks = 0;
  const timer = setInterval(async () => {
    // Files may also have been brought by another command.
    if (isOutdated || ++ticks % filesEveryTicks === 0) await readFiles();
    send();
  }, tickMs).unref();

  return {
    current,
    addOverflow(conversation: string): void {
      overflow.set(conversation, true);
    },
    close(): void {
      clearInterval(timer);
      draining.removeEventListener('abort', send);
    },
  };
}

const tickMs = 500;
const filesEveryTicks = 10;
const overflowMax = 256;
