import { z } from 'zod';
import { shownStatus } from '../../domain/training/job.ts';
import { noUsage } from '../../domain/training/usage.ts';
import type { Training } from '../../services/training/training.ts';
import type { RecentJob } from '../../store/postgres/training/recent-jobs.ts';
import { invalidInput, notFound } from '../../util/failures.ts';

const shownMax = 50;
const eventsMax = 1000;

/** An id, or the end of one. */
const jobId = z.string().min(1);
export const eventsParams = z.object({ id: jobId.optional(), after: z.string().nullable() });
export const jobParams = z.object({ id: jobId });

/** The newest training jobs of all projects. */
export async function listJobs({ jobs }: Training) {
  return (await jobs.recent({ ending: null, limit: shownMax })).map(jobLine);
}

/** A job, by default the newest, with the events after one of them. */
export async function readEvents(training: Training, { id, after }: z.output<typeof eventsParams>) {
  const found = await findJob(training, id ?? null);
  const events = await training.jobs.events(found.id, { after, limit: eventsMax });
  const job = await findJob(training, found.id); // read last: once its final event is read, so is its end
  const rewards = await training.jobs.rewardsBefore({ ...job, limit: shownMax });
  const usage = (await training.jobs.usage([job.id])).get(job.id) ?? noUsage;
  return { job: jobLine(job), usage, rewards, events };
}

/** Lets a paused job continue. */
export async function resumeJob(training: Training, { id }: z.output<typeof jobParams>) {
  const job = await findJob(training, id);
  const resumed = await training.jobs.resume(job.id);
  return { id: job.id, resumed };
}

export async function cancelJob(training: Training, { id }: z.output<typeof jobParams>) {
  const job = await findJob(training, id);
  const canceled = await training.jobs.cancel(job.id);
  return { id: job.id, canceled };
}

async function findJob({ jobs }: Training, ending: string | null) {
  const [job, another] = await jobs.recent({ ending, limit: 2 });
  if (!job) throw notFound(ending === null ? 'There are no training jobs yet.' : `There is no training job ${ending}.`);
  if (ending !== null && another) throw invalidInput(`The ids of several training jobs end with ${ending}.`);
  return job;
}

function jobLine({ createdAt, startedAt, endedAt, pausedAt, ...job }: RecentJob) {
  const status = shownStatus({ ...job, pausedAt });
  const dates = { startedAt: startedAt?.toISOString() ?? null, endedAt: endedAt?.toISOString() ?? null };
  return { ...job, status, createdAt: createdAt.toISOString(), ...dates };
}
