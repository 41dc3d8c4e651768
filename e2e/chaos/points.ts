import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { seeded } from '../../testing/seeded.ts';

/** What processes do at their points; nothing without an instruction. */
export type Instruction = 'stop by chance' | 'hold calls' | 'freeze at a job';

/** How a process stops at a point: for ever, as a whole for a while, or only what has come to the point. */
export type Stop = 'killed' | 'froze' | 'waited';

/** What a process writes to its log when it stops. */
export const stopMarks: Record<Stop, string> = {
  killed: 'chaos: killed at a point\n',
  froze: 'chaos: froze at a point\n',
  waited: 'chaos: waits at a point\n',
};

/** What a process writes to its log when it has read the events that a job has so far. */
export const jobMark = 'chaos: runs a job\n';

/** The variables with the number from which a process chooses where it stops, and with the file of its instruction. */
export const variables = { chance: 'CHAOS_SEED', instruction: 'CHAOS_INSTRUCTION_FILE' };

/** Longer than the lease of a process (10 s) and of a job (8 s), so that others go on without it. */
export const frozenSeconds = 12;

/** A job that freezes has stored some events. */
const eventsBefore = 3;

const random = seeded(Number(process.env[variables.chance] ?? 0));
let events = 0;

/** Between the steps of a write of calls. Runs in the processes of heddle. */
export async function pointOfCalls(): Promise<void> {
  if (instruction() === 'hold calls') {
    writeSync(2, stopMarks.waited);
    while (instruction() === 'hold calls') await setTimeout(50);
  }
  if (instruction() !== 'stop by chance') return;
  const chance = random();
  if (chance < 0.0005) stop('killed');
  else if (chance < 0.002) await wait(15_000 * random());
  else if (chance < 0.05) await wait(500 * random());
}

/** Before a job stores an event. In a transaction, PostgreSQL would end the session of a process that is frozen for 10 s. */
export function pointOfJobs(): void {
  const isChosen = {
    '': () => false,
    'hold calls': () => false,
    'stop by chance': () => random() < 0.01,
    'freeze at a job': () => ++events > eventsBefore,
  };
  if (isChosen[instruction()]()) stop('froze');
}

export function noteJob(): void {
  writeSync(2, jobMark);
}

function instruction(): Instruction | '' {
  try {
    return readFileSync(process.env[variables.instruction]!, 'utf8') as Instruction;
  } catch {
    return '';
  }
}

function stop(how: 'killed' | 'froze'): void {
  writeSync(2, stopMarks[how]);
  const isByChance = instruction() === 'stop by chance'; // otherwise the run continues it
  if (how === 'froze' && isByChance)
    spawn('sh', ['-c', `sleep ${frozenSeconds}; kill -CONT ${process.pid}`], { stdio: 'ignore' }).unref();
  process.kill(process.pid, how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
}

async function wait(ms: number): Promise<void> {
  if (ms > 500) writeSync(2, stopMarks.waited);
  await setTimeout(ms);
}
