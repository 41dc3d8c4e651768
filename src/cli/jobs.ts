import type { Command } from 'commander';
import type { OperationAnswer } from '../admin/operations.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { statusOf } from './show-job.ts';
import { table } from './table.ts';
import { watchJob } from './watch-job.ts';

export function addJobs(program: Command): void {
  const jobs = program.command('jobs').summary('list, watch, resume and cancel training jobs');
  const list = jobs.command('list', { isDefault: true }).summary('list the newest training jobs');
  addSettings(list, ['data']).action(async () => {
    process.stdout.write(listed(await ask(configOf(list), 'jobs.list', {})));
  });
  const watch = jobs
    .command('watch [job]')
    .summary('plot the metrics of a training job until it ends')
    .description(
      'Plots the metrics of a training job over its steps until it ends. The default is the newest job. Give a job by its id ' +
        'or the end of its id. The exit code is 1 if the job fails. Stopping this command does not stop the job.',
    );
  addSettings(watch, ['data']).action(async (id: string | undefined) => {
    process.exitCode = await watchJob(configOf(watch), id);
  });
  const resume = jobs.command('resume <job>').summary('let a paused training job continue');
  addSettings(resume, ['data']).action(async (id: string) => {
    const { id: found, resumed } = await ask(configOf(resume), 'jobs.resume', { id });
    process.stderr.write(resumed ? `The job ${found} continues.\n` : `The job ${found} is not paused.\n`);
    if (!resumed) process.exitCode = 1;
  });
  const cancel = jobs.command('cancel <job>').summary('cancel a training job that is queued or running');
  addSettings(cancel, ['data']).action(async (id: string) => {
    const { id: found, canceled } = await ask(configOf(cancel), 'jobs.cancel', { id });
    process.stderr.write(canceled ? `Canceled the job ${found}.\n` : `The job ${found} has already ended.\n`);
    if (!canceled) process.exitCode = 1;
  });
}

function listed(jobs: OperationAnswer<'jobs.list'>): string {
  if (jobs.length === 0) return 'There are no training jobs yet.\n';
  const rows = jobs.map((job) => [
    job.id.slice(-endingLength),
    `${job.project}/${job.model}`,
    job.kind,
    statusOf(job),
    String(job.steps),
    job.reward === null ? '' : job.reward.toFixed(3),
    job.createdAt.slice(0, 16).replace('T', ' '),
  ]);
  const lines = table(['JOB', 'MODEL', 'KIND', 'STATUS', 'STEPS', 'REWARD', 'CREATED (UTC)'], rows);
  const notes = jobs.flatMap((job) => {
    const id = job.id.slice(-endingLength);
    if (statusOf(job) === 'failed') return [`${id} failed: ${job.error}`];
    if (job.reason === null || job.endedAt !== null) return [];
    return [`${id} ${job.status === 'paused' ? 'is paused' : 'waits'}: ${job.reason}`];
  });
  return `${lines}${notes.map((note) => `\n${note}`).join('')}${notes.length > 0 ? '\n' : ''}`;
}

/** The part of an id that differs from one to the next. */
const endingLength = 12;
