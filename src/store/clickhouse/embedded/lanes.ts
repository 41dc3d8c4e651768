import { Canceled } from '../../../util/failures.ts';
import { openPace } from './pace.ts';
import type { Lane, Read, Ticket } from './reads.ts';
import { checkRoom, tooMany } from './waiting-room.ts';

export type LaneLimits = {
  /** Concurrent reads: those that have just begun, and those that take long. */
  quickMax: number;
  longMax: number;
  /** Places in the quick lane that one group may use, since nothing is known of a group's first reads. */
  quickPerGroupMax: number;
  /** Places in the quick lane that heavy groups may use together. */
  heavyMax: number;
  /** How many long reads one group may run, so that it cannot fill the lane. */
  longPerGroupMax: number;
  /** A read that uses more CPU time than this is long. */
  trialMs: number;
  waitingPerGroupMax: number;
  waitMsMax: number;
};

/** Runs reads in turn. @throws Failure if too many wait or one waits too long, Canceled if the client disconnects */
export type Lanes = { run<Value>(read: Read<Value>): Promise<Value> };

/** A group is heavy if its reads usually take this many times as long as those of another active group. */
const heavyRatio = 4;
/** A read that mostly waits, for the disk or for a CPU, gets this many times the trial in elapsed time. */
const patience = 10;

/**
 * The duration of a read is not known in advance, so every read begins in the quick lane. A read that is not done soon
 * is overdue: it moves to the long lane if there is room. Otherwise it is stopped as soon as another read needs its
 * place, and restarts when its turn in the long lane comes. A quick read therefore never waits for a long one to end.
 * In the quick lane, no group gets all places, the group whose reads are usually shortest goes first, and heavy groups
 * get few places while others are active. The trial is measured in CPU time, and groups are compared with each other,
 * because on a busy machine quick reads also take long.
 */
export function openLanes(limits: LaneLimits, wasStopped: (error: unknown) => boolean): Lanes {
  const { quickMax, quickPerGroupMax, longMax, heavyMax, longPerGroupMax, trialMs } = limits;
  const pace = openPace();
  const waiting: Record<Lane, Set<Ticket>> = { quick: new Set(), long: new Set() };
  const running = new Set<Running>();

  const countRunning = (lane: Lane, counts: (group: string) => boolean = () => true) => {
    let count = 0;
    for (const each of running) if (each.lane === lane && counts(each.ticket.read.group)) count++;
    return count;
  };

  /** The groups that are currently heavy. */
  function heavyGroups(): (group: string) => boolean {
    let shortest = Number.POSITIVE_INFINITY;
    const active = (group: string) => {
      shortest = Math.min(shortest, pace.of(group) ?? Number.POSITIVE_INFINITY);
    };
    for (const { ticket } of running) active(ticket.read.group);
    for (const { read } of waiting.quick) active(read.group);
    return (group) => (pace.of(group) ?? 0) > heavyRatio * shortest;
  }

  function mayRunQuick(group: string): boolean {
    return countRunning('quick', (each) => each === group) < quickPerGroupMax;
  }

  function mayRunLong(group: string): boolean {
    return countRunning('long') < longMax && countRunning('long', (each) => each === group) < longPerGroupMax;
  }

  function nextQuick(): Ticket | null {
    if (waiting.quick.size === 0 || countRunning('quick') >= quickMax) return null;
    const isHeavy = heavyGroups();
    const takesHeavy = countRunning('quick', isHeavy) < heavyMax;
    let next: Ticket | null = null;
    let shortest = Number.POSITIVE_INFINITY;
    for (const ticket of waiting.quick) {
      const { group } = ticket.read;
      const usual = pace.of(group) ?? 0;
      if (usual >= shortest || !mayRunQuick(group) || (isHeavy(group) && !takesHeavy)) continue;
      [next, shortest] = [ticket, usual];
    }
    return next;
  }

  function nextLong(): Ticket | null {
    for (const ticket of waiting.long) if (mayRunLong(ticket.read.group)) return ticket;
    return null;
  }

  function proceed(): void {
    for (const each of running) if (isInTheWay(each) && mayRunLong(each.ticket.read.group)) each.lane = 'long';
    for (let next = nextQuick(); next !== null; next = nextQuick()) take(next, 'quick');
    for (let next = nextLong(); next !== null; next = nextLong()) take(next, 'long');
    makeRoom();
  }

  function take(ticket: Ticket, lane: Lane): void {
    waiting[lane].delete(ticket);
    clearTimeout(ticket.timer);
    start(ticket, lane);
  }

  /** Stops overdue reads: one for each read that waits to begin, and those of heavy groups that use too many places. */
  function makeRoom(): void {
    const overdue = new Set([...running].filter(isInTheWay));
    const stop = (each: Running) => {
      overdue.delete(each);
      each.isStopped = true;
      each.stop();
    };
    const isHeavy = heavyGroups();
    const heavy = [...overdue].filter(({ ticket }) => isHeavy(ticket.read.group));
    for (const each of heavy.slice(heavyMax)) stop(each);
    let leaving = 0;
    for (const each of running) if (each.isStopped) leaving++;
    for (const { read } of waiting.quick) {
      if (overdue.size === 0) return;
      if (leaving-- > 0) continue;
      const found = [...overdue].find((each) => mustGiveWay(each, read.group));
      if (!found) continue;
      stop(found);
    }
  }

  function mustGiveWay({ ticket, startedAt }: Running, group: string): boolean {
    if (ticket.read.group === group) return performance.now() - startedAt > patience * trialMs;
    return mayRunQuick(group) && (pace.of(group) ?? 0) < (pace.of(ticket.read.group) ?? Number.POSITIVE_INFINITY);
  }

  function wait(ticket: Ticket, lane: Lane): void {
    waiting[lane].add(ticket);
    proceed();
    if (!waiting[lane].has(ticket)) return;
    ticket.timer = setTimeout(() => {
      waiting[lane].delete(ticket);
      ticket.reject(tooMany(`this one has waited for ${limits.waitMsMax} ms (HEDDLE_QUERY_WAIT_MAX_MS)`));
    }, limits.waitMsMax);
  }

  function start(ticket: Ticket, lane: Lane): void {
    const { group } = ticket.read;
    const { ended, stop, usedMs } = ticket.read.start();
    const each: Running = { ticket, lane, stop, startedAt: performance.now(), isOverdue: false, isStopped: false };
    running.add(each);
    ticket.stop = stop;
    const endTrial = async () => {
      const used = Math.max(await usedMs(), (performance.now() - each.startedAt) / patience);
      if (used < trialMs || !running.has(each)) return;
      if (!each.isOverdue) pace.add(group, performance.now() - each.startedAt); // its group is heavy from now on
      each.isOverdue = true;
      proceed();
    };
    const watch = setInterval(() => void endTrial(), trialMs);
    const leave = () => {
      clearInterval(watch);
      running.delete(each);
      pace.add(group, performance.now() - each.startedAt);
    };
    ended.then(
      (value) => {
        leave();
        ticket.resolve(value);
        proceed();
      },
      (error) => {
        leave();
        if (each.isStopped && !ticket.isSettled && wasStopped(error)) return wait(ticket, 'long');
        ticket.reject(error);
        proceed();
      },
    );
  }

  return {
    run<Value>(read: Read<Value>): Promise<Value> {
      if (read.signal?.aborted) return Promise.reject(hungUp());
      return new Promise<Value>((resolve, reject) => {
        checkRoom(waiting, read, limits.waitingPerGroupMax);
        const ticket = makeTicket(read, resolve as (value: unknown) => void, reject, () => {
          const wasWaiting = waiting.quick.delete(ticket) || waiting.long.delete(ticket);
          if (!wasWaiting) ticket.stop?.();
          clearTimeout(ticket.timer);
          ticket.reject(hungUp());
        });
        wait(ticket, 'quick');
      });
    },
  };
}

type Running = {
  ticket: Ticket;
  lane: Lane;
  startedAt: number;
  /** Its trial is over. */
  isOverdue: boolean;
  /** It was stopped, to restart later. */
  isStopped: boolean;
  stop(): void;
};

function isInTheWay({ lane, isOverdue, isStopped }: Running): boolean {
  return lane === 'quick' && isOverdue && !isStopped;
}

function makeTicket(
  read: Read<unknown>,
  resolve: (value: unknown) => void,
  reject: (error: unknown) => void,
  hangUp: () => void,
): Ticket {
  const settle = <Result>(how: (result: Result) => void) => {
    return (result: Result) => {
      ticket.isSettled = true;
      read.signal?.removeEventListener('abort', hangUp);
      how(result);
    };
  };
  const ticket: Ticket = {
    ...{ read, isSettled: false, timer: undefined, stop: null },
    resolve: settle(resolve),
    reject: settle(reject),
  };
  read.signal?.addEventListener('abort', hangUp, { once: true });
  return ticket;
}

/** No client sees it; the status is the one that proxies log for this case. */
function hungUp(): Canceled {
  return new Canceled('The client hung up before it had its answer');
}
