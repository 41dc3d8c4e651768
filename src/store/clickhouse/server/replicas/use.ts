import { StoreError } from '../../store-error.ts';
import { isTransient } from '../errors.ts';
import type { Host } from '../host.ts';
import { anotherServer } from '../identity.ts';

/** A replica while statements may be sent to it. */
export type Use = {
  host: Host;
  /** Calls `onDoubt` if the statement fails or takes long. @throws StoreError if the use ends before the statement does */
  run<Answer>(work: (host: Host) => Promise<Answer>): Promise<Answer>;
  /** Statements that are under way fail at once: what the replica answers from now on does not count. */
  end(): void;
};

type Options = {
  /** Whether an answer that arrives now counts: the lease may have ended while this process stood still. */
  isValid(): boolean;
  onDoubt(): void;
  /** Called when another server answers in its place, which may lack rows. */
  onReplaced(): void;
};

/** A statement that takes longer may be waiting for a replica that is gone. */
const silentMs = 2_000;

export function startUse(host: Host, { isValid, onDoubt, onReplaced }: Options): Use {
  const underWay = new Set<(error: StoreError) => void>();
  let isOver = false;

  async function watched<Answer>(work: (host: Host) => Promise<Answer>): Promise<Answer> {
    const timer = setInterval(onDoubt, silentMs).unref();
    try {
      return await work(host);
    } catch (error) {
      if (error instanceof StoreError && error.codeName === anotherServer) onReplaced();
      else if (error instanceof StoreError && isTransient(error)) onDoubt();
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  return {
    host,
    async run(work) {
      if (isOver || !isValid()) throw replicaChanges();
      const { promise: ended, reject } = Promise.withResolvers<never>();
      underWay.add(reject);
      try {
        const answer = await Promise.race([watched(work), ended]);
        if (isOver || !isValid()) throw replicaChanges();
        return answer;
      } finally {
        underWay.delete(reject);
      }
    },
    end() {
      isOver = true;
      for (const reject of underWay) reject(replicaChanges());
    },
  };
}

/** Temporary, as a lost connection is: the statement is sent again. */
export function replicaChanges(reason = 'the replica is being changed'): StoreError {
  return new StoreError('a statement', null, reason);
}
