import { ApiError } from '../../../contract/errors.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import { openUsage } from './usage.ts';

/** A read that was started. */
export type Run<Value> = {
  /** Settles when the engine has finished or given up; the place of the read is taken until then. */
  ended: Promise<Value>;
  /** Makes `ended` reject soon, with an error for which `wasStopped` holds. */
  stop(): void;
};

/** A read to be run. It has no effects, so it may be stopped and started anew. */
type Read<Value> = {
  /** Reads of one group share its part of the store. */
  group: string;
  /** About what the read holds in memory while it waits. */
  bytes: number;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal | null;
  start(): Run<Value>;
};

export type LaneLimits = {
  /** Reads that run at the same time, of those that have just begun and of those that take long. */
  quickMax: number;
  longMax: number;
  /** How many of the long ones may be of one group, so that one group cannot fill the lane. */
  longPerGroupMax: number;
  /** What takes longer than this is long. */
  trialMs: number;
  waitingPerGroupMax: number;
  waitMsMax: number;
};

/** Runs reads in their turn. @throws ApiError 429 where too many wait or one waits too long, 499 once the client hung up. */
export type Lanes = { run<Value>(read: Read<Value>): Promise<Value> };

/** What may wait of all groups together. */
const waitingMax = 4000;
const waitingBytesMax = 128 * 1024 * 1024;

/**
 * Nothing about a read shows beforehand how long it takes. So every read begins in the quick lane; one that is not done
 * soon goes on in the long lane where there is room, and is otherwise stopped, and started anew when its turn in the long
 * lane comes. Thus a quick read never waits for a long one to end. In both lanes the group that has used least of the
 * store lately goes first.
 */
export function openLanes(limits: LaneLimits, wasStopped: (error: unknown) => boolean): Lanes {
  const { quickMax, longMax, longPerGroupMax, trialMs, waitingPerGroupMax, waitMsMax } = limits;
  const usage = openUsage();
  const waiting: Record<Lane, Set<Ticket>> = { quick: new Set(), long: new Set() };
  const running: Record<Lane, Set<Ticket>> = { quick: new Set(), long: new Set() };

  function admit(ticket: Ticket): void {
    const { group, bytes } = ticket.read;
    const all = [...waiting.quick, ...waiting.long];
    const own = all.filter((each) => each.read.group === group).length;
    if (own >= waitingPerGroupMax) {
      throw tooMany(`${own} reads of this project are waiting already (HEDDLE_QUERY_WAITING_MAX)`);
    }
    const bytesWaiting = all.reduce((sum, each) => sum + each.read.bytes, 0);
    if (all.length >= waitingMax) throw tooMany(`${all.length} reads are waiting already`);
    if (all.length > 0 && bytesWaiting + bytes > waitingBytesMax) {
      throw tooMany(`the reads that wait hold ${humanBytes(waitingBytesMax)} already`);
    }
  }

  function wait(ticket: Ticket, lane: Lane): void {
    waiting[lane].add(ticket);
    startNext();
    if (!waiting[lane].has(ticket)) return;
    ticket.timer = setTimeout(() => {
      waiting[lane].delete(ticket);
      ticket.reject(tooMany(`this one has waited for ${waitMsMax} ms (HEDDLE_QUERY_WAIT_MAX_MS)`));
    }, waitMsMax);
  }

  function startNext(): void {
    for (const lane of ['quick', 'long'] as const) {
      for (let next = nextOf(lane); next !== null; next = nextOf(lane)) {
        waiting[lane].delete(next);
        clearTimeout(next.timer);
        start(next, lane);
      }
    }
  }

  function nextOf(lane: Lane): Ticket | null {
    if (waiting[lane].size === 0 || running[lane].size >= (lane === 'quick' ? quickMax : longMax)) return null;
    let next: Ticket | null = null;
    for (const ticket of waiting[lane]) {
      if (lane === 'long' && !hasLongLeft(ticket.read.group)) continue;
      if (next === null || usage.of(ticket.read.group) < usage.of(next.read.group)) next = ticket;
    }
    return next;
  }

  function hasLongLeft(group: string): boolean {
    let count = 0;
    for (const { read } of running.long) if (read.group === group) count++;
    return count < longPerGroupMax;
  }

  function start(ticket: Ticket, lane: Lane): void {
    let chargedAt = performance.now();
    const charge = () => {
      const now = performance.now();
      usage.add(ticket.read.group, now - chargedAt);
      chargedAt = now;
    };
    let isToRestart = false;
    running[lane].add(ticket);
    const run = ticket.read.start();
    ticket.stop = run.stop;
    const trial = lane === 'quick' ? setTimeout(() => endTrial(), trialMs) : undefined;
    const endTrial = () => {
      charge();
      if (running.long.size < longMax && hasLongLeft(ticket.read.group)) {
        running.quick.delete(ticket);
        running.long.add(ticket);
        startNext();
      } else {
        isToRestart = true;
        run.stop();
      }
    };
    const leave = () => {
      clearTimeout(trial);
      charge();
      running.quick.delete(ticket);
      running.long.delete(ticket);
    };
    run.ended.then(
      (value) => {
        leave();
        ticket.resolve(value);
        startNext();
      },
      (error) => {
        leave();
        if (isToRestart && !ticket.isSettled && wasStopped(error)) wait(ticket, 'long');
        else ticket.reject(error);
        startNext();
      },
    );
  }

  return {
    run<Value>(read: Read<Value>): Promise<Value> {
      const { signal } = read;
      return new Promise<Value>((resolve, reject) => {
        const settle = <Result>(how: (result: Result) => void) => {
          return (result: Result) => {
            ticket.isSettled = true;
            signal?.removeEventListener('abort', hangUp);
            how(result);
          };
        };
        const ticket: Ticket = {
          ...{ read, isSettled: false, timer: undefined, stop: null },
          resolve: settle(resolve as (value: unknown) => void),
          reject: settle(reject),
        };
        const hangUp = () => {
          const wasWaiting = waiting.quick.delete(ticket) || waiting.long.delete(ticket);
          if (wasWaiting) clearTimeout(ticket.timer);
          else ticket.stop?.();
          ticket.reject(hungUp());
        };
        if (signal?.aborted) return reject(hungUp());
        admit(ticket);
        signal?.addEventListener('abort', hangUp, { once: true });
        wait(ticket, 'quick');
      });
    },
  };
}

type Lane = 'quick' | 'long';

type Ticket = {
  read: Read<unknown>;
  isSettled: boolean;
  timer: NodeJS.Timeout | undefined;
  stop: (() => void) | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

function tooMany(what: string): ApiError {
  return new ApiError(429, `The store is busy: ${what}. Try again later, with fewer reads at a time.`);
}

/** Nobody sees it; the status is the one that proxies log for this. */
function hungUp(): ApiError {
  return new ApiError(499, 'The client hung up before it had its answer');
}
