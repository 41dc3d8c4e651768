import { type LaneLimits, LaneRules, patience, type Reads } from './lane-rules.ts';
import { openPace } from './pace.ts';
import type { Lane, Read, Ticket } from './reads.ts';
import type { RunningRead } from './running-read.ts';
import { hungUp, makeTicket } from './ticket.ts';
import { checkRoom, tooMany } from './waiting-room.ts';

/** Runs reads in turn. @throws Failure if too many wait or one waits too long, Canceled if the client disconnects */
export type Lanes = { run<Value>(read: Read<Value>): Promise<Value> };

/**
 * The duration of a read is not known in advance, so every read begins in the quick lane. A read that is not done soon
 * is overdue: it moves to the long lane if there is room. Otherwise it is stopped as soon as another read needs its
 * place, and restarts when its turn in the long lane comes. A quick read therefore never waits for a long one to end.
 * The trial is measured in CPU time. `lane-rules.ts` decides which reads begin, move and stop.
 */
export function openLanes(limits: LaneLimits, wasStopped: (error: unknown) => boolean): Lanes {
  return new TwoLanes(limits, wasStopped);
}

class TwoLanes implements Lanes {
  readonly #reads: Reads = { waiting: { quick: new Set(), long: new Set() }, running: new Set(), pace: openPace() };
  readonly #rules: LaneRules;
  readonly #limits: LaneLimits;
  readonly #wasStopped: (error: unknown) => boolean;

  constructor(limits: LaneLimits, wasStopped: (error: unknown) => boolean) {
    this.#rules = new LaneRules(this.#reads, limits);
    this.#limits = limits;
    this.#wasStopped = wasStopped;
  }

  run<Value>(read: Read<Value>): Promise<Value> {
    if (read.signal?.aborted) return Promise.reject(hungUp());
    return new Promise<Value>((resolve, reject) => {
      checkRoom(this.#reads.waiting, read, this.#limits.waitingPerGroupMax);
      const hangUp = (ticket: Ticket) => this.#hangUp(ticket);
      this.#wait(makeTicket(read, resolve as (value: unknown) => void, reject, hangUp), 'quick');
    });
  }

  #wait(ticket: Ticket, lane: Lane): void {
    const waiting = this.#reads.waiting[lane];
    const { waitMsMax } = this.#limits;
    waiting.add(ticket);
    this.#proceed();
    if (!waiting.has(ticket)) return;
    ticket.timer = setTimeout(() => {
      waiting.delete(ticket);
      ticket.reject(tooMany(`this one has waited for ${waitMsMax} ms (HEDDLE_QUERY_WAIT_MAX_MS)`));
    }, waitMsMax);
  }

  /** Moves, starts and stops reads, after anything that may allow it. */
  #proceed(): void {
    const rules = this.#rules;
    for (const each of this.#reads.running) {
      if (each.state === 'overdue' && rules.mayRunLong(each.ticket.read.group)) each.state = 'long';
    }
    for (let next = rules.nextQuick(); next !== null; next = rules.nextQuick()) this.#take(next, 'quick');
    for (let next = rules.nextLong(); next !== null; next = rules.nextLong()) this.#take(next, 'long');
    for (const each of rules.toStop()) {
      each.state = 'stopped';
      each.stop();
    }
  }

  #take(ticket: Ticket, lane: Lane): void {
    this.#reads.waiting[lane].delete(ticket);
    clearTimeout(ticket.timer);
    this.#start(ticket, lane === 'long' ? 'long' : 'on trial');
  }

  #start(ticket: Ticket, state: 'on trial' | 'long'): void {
    const { ended, stop, usedMs } = ticket.read.start();
    const each: RunningRead = { ticket, state, startedAt: performance.now(), isLong: false, stop };
    this.#reads.running.add(each);
    ticket.stop = stop;
    const watch = setInterval(() => void this.#endTrial(each, usedMs), this.#limits.trialMs);
    const leave = () => {
      clearInterval(watch);
      this.#reads.running.delete(each);
      this.#countTime(each);
    };
    ended.then(
      (value) => {
        leave();
        ticket.resolve(value);
        this.#proceed();
      },
      (error) => {
        leave();
        if (each.state === 'stopped' && !ticket.isSettled && this.#wasStopped(error)) return this.#wait(ticket, 'long');
        ticket.reject(error);
        this.#proceed();
      },
    );
  }

  async #endTrial(each: RunningRead, usedMs: () => Promise<number>): Promise<void> {
    const used = Math.max(await usedMs(), (performance.now() - each.startedAt) / patience);
    if (used < this.#limits.trialMs || !this.#reads.running.has(each)) return;
    if (!each.isLong) this.#countTime(each); // its group is heavy from now on
    each.isLong = true;
    if (each.state === 'on trial') each.state = 'overdue';
    this.#proceed();
  }

  #countTime({ ticket, startedAt }: RunningRead): void {
    this.#reads.pace.add(ticket.read.group, performance.now() - startedAt);
  }

  #hangUp(ticket: Ticket): void {
    const { waiting } = this.#reads;
    const wasWaiting = waiting.quick.delete(ticket) || waiting.long.delete(ticket);
    if (!wasWaiting) ticket.stop?.();
    clearTimeout(ticket.timer);
    ticket.reject(hungUp());
  }
}
