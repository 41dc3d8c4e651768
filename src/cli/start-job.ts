import { createInterface } from 'node:readline/promises';
import { type Config, ConfigError } from '../config.ts';
import { watchJob } from './watch-job.ts';

export type StartOptions = { yes?: true; dryRun?: true; detach?: true; allowSuiteRows?: true };

/**
 * Starts a job that was previewed, after asking, and follows it.
 * @returns the exit code
 */
export async function startJob(
  config: Config,
  { yes, dryRun, detach }: StartOptions,
  start: () => Promise<{ id: string }>,
): Promise<number> {
  if (dryRun) return 0;
  if (!yes && !(await confirmed())) {
    process.stderr.write('Nothing was started.\n');
    return 0;
  }
  const { id } = await start();
  process.stderr.write(`Started job ${id}.\n`);
  if (!detach) return watchJob(config, id);
  process.stderr.write(`Follow it with \`heddle jobs watch ${id}\`.\n`);
  return 0;
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError('Cannot ask for confirmation outside a terminal. Pass --yes to start the job.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question('Start the job? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}
