import type { ReadPace } from './pace.ts';
import type { Lane, Ticket } from './reads.ts';
import { laneOf, type RunningRead } from './running-read.ts';

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

/** All reads, and how long those of each group usually take. */
export type Reads = { waiting: Record<Lane, Set<Ticket>>; running: Set<RunningRead>; pace: ReadPace };

/** A group is heavy if its reads usually take this many times as long as those of another active group. */
const heavyRatio = 4;

/** A read that mostly waits, for the disk or for a CPU, gets this many times the trial in elapsed time. */
export const patience = 10;

/**
 * Which reads begin, move and stop. No group gets all places of the quick lane, the group whose reads are usually shortest
 * goes first, and heavy groups get few places while others are active. Groups are compared with each other, because on a
 * busy machine quick reads also take long.
 */
export class LaneRules {
  readonly #reads: Reads;
  readonly #limits: LaneLimits;

  constructor(reads: Reads, limits: LaneLimits) {
    this.#reads = reads;
    this.#limits = limits;
  }

  /** The waiting read that may begin now. */
  nextQuick(): Ticket | null {
    const { waiting, pace } = this.#reads;
    if (waiting.quick.size === 0 || this.#count('quick') >= this.#limits.quickMax) return null;
    const isHeavy = this.#heavyGroups();
    const takesHeavy = this.#count('quick', isHeavy) < this.#limits.heavyMax;
    let next: Ticket | null = null;
    let shortest = Number.POSITIVE_INFINITY;
    for (const ticket of waiting.quick) {
      const { group } = ticket.read;
      const usual = pace.of(group) ?? 0;
      if (usual >= shortest || !this.#mayRunQuick(group) || (isHeavy(group) && !takesHeavy)) continue;
      [next, shortest] = [ticket, usual];
    }
    return next;
  }

  /** The stopped read that may restart now. */
  nextLong(): Ticket | null {
    for (const ticket of this.#reads.waiting.long) if (this.mayRunLong(ticket.read.group)) return ticket;
    return null;
  }

  mayRunLong(group: string): boolean {
    const { longMax, longPerGroupMax } = this.#limits;
    return this.#count('long') < longMax && this.#count('long', (each) => each === group) < longPerGroupMax;
  }

  /** The overdue reads to stop: one for each read that waits to begin, and those of heavy groups that use too many places. */
  toStop(): RunningRead[] {
    const { waiting, running } = this.#reads;
    const overdue = new Set([...running].filter(({ state }) => state === 'overdue'));
    const isHeavy = this.#heavyGroups();
    const found = [...overdue].filter(({ ticket }) => isHeavy(ticket.read.group)).slice(this.#limits.heavyMax);
    for (const each of found) overdue.delete(each);
    let leaving = found.length;
    for (const { state } of running) if (state === 'stopped') leaving++;
    for (const { read } of waiting.quick) {
      if (overdue.size === 0) break;
      if (leaving-- > 0) continue;
      const givingWay = [...overdue].find((each) => this.#mustGiveWay(each, read.group));
      if (!givingWay) continue;
      overdue.delete(givingWay);
      found.push(givingWay);
    }
    return found;
  }

  #mustGiveWay({ ticket, startedAt }: RunningRead, group: string): boolean {
    const { pace } = this.#reads;
    if (ticket.read.group === group) return performance.now() - startedAt > patience * this.#limits.trialMs;
    return this.#mayRunQuick(group) && (pace.of(group) ?? 0) < (pace.of(ticket.read.group) ?? Number.POSITIVE_INFINITY);
  }

  #mayRunQuick(group: string): boolean {
    return this.#count('quick', (each) => each === group) < this.#limits.quickPerGroupMax;
  }

  /** The groups that are heavy now. */
  #heavyGroups(): (group: string) => boolean {
    const { waiting, running, pace } = this.#reads;
    let shortest = Number.POSITIVE_INFINITY;
    const active = (group: string) => {
      shortest = Math.min(shortest, pace.of(group) ?? Number.POSITIVE_INFINITY);
    };
    for (const { ticket } of running) active(ticket.read.group);
    for (const { read } of waiting.quick) active(read.group);
    return (group) => (pace.of(group) ?? 0) > heavyRatio * shortest;
  }

  #count(lane: Lane, counts: (group: string) => boolean = () => true): number {
    let count = 0;
    for (const each of this.#reads.running) if (laneOf(each) === lane && counts(each.ticket.read.group)) count++;
    return count;
  }
}
