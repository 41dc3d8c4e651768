import { LRUCache } from 'lru-cache';
import type { Model } from '../domain/model.ts';
import type { ProcessOffer } from '../domain/process-offer.ts';
import type { MemoryBudget } from '../engine/memory/memory-budget.ts';
import type { OwnInference } from '../inference/own/own-inference.ts';
import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';

type Parts = {
  address: Pick<ProcessOffer, 'protocol' | 'host' | 'port'>;
  peers: Pick<Peers, 'on' | 'offer'>;
  models: Pick<Models, 'idsWithFiles' | 'list'>;
  memory: Pick<MemoryBudget, 'availableBytes'>;
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
  /** When an overflow was last sent before its tick. */
  let hurriedAt = Number.NEGATIVE_INFINITY;
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
    const { availableBytes } = memory;
    const withoutRoom = listed.filter(
      ({ id, memoryBytes }) =>
        files.includes(id) && (memoryBytes ?? 0) > availableBytes && !open.some((each) => each.id === id),
    );
    return { ...address, files, open, withoutRoom: withoutRoom.map(({ id }) => id), overflow: [...overflow.keys()] };
  }

  function send(): void {
    const offer = draining.aborted ? null : current();
    // Later turns change the order of conversations, which the other processes need not know.
    const text = JSON.stringify(offer && { ...offer, overflow: offer.overflow.toSorted() });
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
    /**
     * Its next turn may come soon, so the first conversation is announced at once. Others of the next moment follow
     * together: an announcement costs several statements.
     */
    addOverflow(conversation: string): void {
      const isNew = !overflow.has(conversation);
      overflow.set(conversation, true);
      if (!isNew || performance.now() - hurriedAt < tickMs) return;
      hurriedAt = performance.now();
      send();
      timer.refresh();
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
