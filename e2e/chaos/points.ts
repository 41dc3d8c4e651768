import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { seeded } from '../processes/random.ts';

/** How a process stops at a point: for ever, as a whole for a while, or only what has come to the point. */
export type Stop = 'killed' | 'froze' | 'waited';

/** What a process writes to its log when it stops. */
export const stopMarks: Record<Stop, string> = {
  killed: 'chaos: killed at a point\n',
  froze: 'chaos: froze at a point\n',
  waited: 'chaos: waits at a point\n',
};

/** The variable with the number from which a process chooses where it stops. */
export const chanceVariable = 'CHAOS_SEED';

/** Longer than the lease of a process (10 s) and of a job (8 s), so that others go on without it. */
export const frozenSeconds = 12;

const random = seeded(Number(process.env[chanceVariable] ?? 0));

/** Between the steps of a write of calls. Runs in the processes of heddle. */
export async function pointOfCalls(): Promise<void> {
  const chance = random();
  if (chance < 0.0005) stop('killed');
  else if (chance < 0.002) await wait(15_000 * random());
  else if (chance < 0.05) await wait(500 * random());
}

/** Before a job that has a transaction open makes sure that it still has its lease. */
export function pointOfJobs(): void {
  if (random() < 0.02) stop('froze');
}

function stop(how: 'killed' | 'froze'): void {
  writeSync(2, stopMarks[how]);
  if (how === 'froze')
    spawn('sh', ['-c', `sleep ${frozenSeconds}; kill -CONT ${process.pid}`], { stdio: 'ignore' }).unref();
  process.kill(process.pid, how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
}

async function wait(ms: number): Promise<void> {
  if (ms > 500) writeSync(2, stopMarks.waited);
  await setTimeout(ms);
}
