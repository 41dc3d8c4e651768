import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { withoutSettings } from '../../../testing/heddle-process.ts';
import { residentBytes } from '../peers/process-tree.ts';
import { randomFrom } from '../random.ts';
import type { Question, RunningEngine } from './engine.ts';

/**
 * Starts a program that holds an engine: it says `ready`, then takes a list of `{tokens, count}` a line and answers with one
 * of lists: the milliseconds until each of `count` new tokens. It measures by itself, so that what lies between costs it
 * nothing.
 */
export async function startProgram(command: string, ...args: string[]): Promise<RunningEngine> {
  const child = spawn(command, args, {
    env: { ...withoutSettings(process.env), OMP_NUM_THREADS: '2' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  await nextLine(lines, child);
  return {
    residentBytes: () => residentBytes(child.pid!),
    async generate(questions) {
      const asked = questions.map((each) => ({ tokens: tokensOf(each), count: each.newTokens }));
      child.stdin!.write(`${JSON.stringify(asked)}\n`);
      return JSON.parse(await nextLine(lines, child)) as number[][];
    },
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill();
      }),
  };
}

async function nextLine(lines: AsyncIterator<string>, { spawnargs }: ChildProcess): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error(`It ended: ${spawnargs.join(' ')}`);
  return value;
}

function tokensOf({ promptTokens, prompt }: Question): number[] {
  const random = randomFrom(prompt);
  return Array.from({ length: promptTokens }, () => 100 + random.below(40_000));
}
