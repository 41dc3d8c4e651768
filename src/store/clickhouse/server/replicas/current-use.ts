import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../host.ts';
import type { Route } from '../route.ts';
import { replicaChanges, startUse, type Use } from './use.ts';

/** The replica that is used at the moment, if there is one. */
export type CurrentUse = Pick<Route, 'run' | 'problem'> & {
  origin(): string | null;
  start(origin: string): void;
  /** Statements that are under way fail at once, and wait for the next start when they are sent again. */
  stop(reason: string): void;
  /** Resolves when a replica is used. */
  started(): Promise<void>;
};

type Options = {
  open(origin: string): Host;
  isValid(): boolean;
  /** A statement failed or takes long. */
  onDoubt(origin: string): void;
  /** Another server answered in place of the replica. */
  onReplaced(origin: string): void;
  /** Another replica is used than before. */
  onChange(origin: string): void;
};

const waitMsMax = 500;

export function openCurrentUse({ open, isValid, onDoubt, onReplaced, onChange }: Options): CurrentUse {
  let use: Use | null = null;
  let problem: string | null = 'no replica is agreed on yet';
  let started = Promise.withResolvers<void>();
  let before: string | null = null;

  return {
    async run(work) {
      if (use === null) await Promise.race([started.promise, pause(waitMsMax, undefined, { ref: false })]);
      if (use === null) throw replicaChanges(problem ?? undefined);
      return use.run(work);
    },
    problem: () => problem,
    origin: () => use?.host.origin ?? null,
    started: () => started.promise,
    start(origin) {
      if (use !== null) return;
      if (before !== null && before !== origin) onChange(origin);
      before = origin;
      problem = null;
      use = startUse(open(origin), {
        isValid,
        onDoubt: () => onDoubt(origin),
        onReplaced: () => onReplaced(origin),
      });
      started.resolve();
    },
    stop(reason) {
      problem = reason;
      if (use === null) return;
      const ended = use;
      use = null;
      started = Promise.withResolvers();
      ended.end();
      void ended.host.close();
    },
  };
}
