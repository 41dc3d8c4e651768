import type { OperationAnswer } from '../admin/operations.ts';
import { curveOf, shortNumber } from './curve.ts';

export type Shown = Pick<OperationAnswer<'jobs.events'>, 'job' | 'usage' | 'rewards' | 'events'>;
type Job = Shown['job'];
type Event = Shown['events'][number];

/** Its last event, once there is one. */
export function isOver(events: Event[]): 'training_ended' | 'training_failed' | null {
  const last = events.at(-1)?.type;
  return last === 'training_ended' || last === 'training_failed' ? last : null;
}

/** The status of a job, which is failed also where it was canceled. */
export function statusOf({ status, error }: Pick<Job, 'status' | 'error'>): string {
  return status === 'failed' && error === 'The job was canceled.' ? 'canceled' : status;
}

const curves: [metric: string, title: string][] = [
  ['loss/train', 'loss'],
  ['loss/entropy', 'entropy'],
  ['loss/kl_div', 'KL to sampler'],
  ['loss/grad_norm', 'gradient norm'],
  ['tokens_per_second', 'tokens/s'],
];

/** A job as lines for a terminal: progress, curves and warnings. */
export function describeJob(shown: Shown, width: number, now = Date.now()): string[] {
  const { job, rewards, events } = shown;
  const steps = stepsOf(events);
  const started = events.find(({ type }) => type === 'training_started');
  return [
    `${job.project}/${job.model}  ${job.kind}  ${job.id}`,
    progressOf(shown, now),
    ...usageOf(shown),
    ...(started ? dataOf(started) : []),
    ...rewardOf(job, rewards, width),
    ...curves.flatMap(([metric, title]) => curveOf(title, valuesOf(steps, metric), width)),
    ...curveOf('held-out loss', heldOut(events, 'val/loss'), width),
    ...curveOf('held-out reward', heldOut(events, 'val/reward'), width),
    ...events.flatMap(noteOf),
  ];
}

/** For output that is not a terminal: the first steps, every tenth of them, and what the job warns of. */
export function describeEvents(before: Event[], added: Event[]): string[] {
  const all = [...before, ...added];
  const total = totalOf(all);
  let step = stepsOf(before).length;
  return added.flatMap((event) => {
    if (event.type === 'training_started') return [`started, ${total} ${total === 1 ? 'step' : 'steps'}`];
    if (event.type === 'validation') {
      const { 'val/loss': loss, 'val/reward': reward } = event.data;
      const [what, value] = loss === undefined ? ['reward', reward] : ['loss', loss];
      return [`held-out ${what} after step ${step}: ${shortNumber(Number(value))}`];
    }
    if (event.type !== 'gradient_step') return noteOf(event);
    step++;
    const tenth = (of: number) => Math.floor((10 * of) / total);
    return tenth(step) > tenth(step - 1) ? [`step ${step} of ${total}: ${numbersOf(event.data)}`] : [];
  });
}

function numbersOf(data: Event['data']): string {
  return curves
    .filter(([metric]) => typeof data[metric] === 'number')
    .map(([metric, title]) => `${title} ${shortNumber(data[metric] as number)}`)
    .join(', ');
}

function progressOf({ job, events }: Shown, now: number): string {
  const { startedAt, endedAt } = job;
  const status = statusOf(job);
  if (startedAt === null) return status === 'queued' ? 'queued, behind other jobs' : status;
  const total = totalOf(events);
  const made = stepsOf(events).length;
  const ofUnknown = made === 0 ? '' : `, step ${made}`; // a client of the Tinker API decides on each as it goes on
  const steps = total === 0 ? ofUnknown : `, step ${made} of ${total}`;
  const time = duration((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
  if (status === 'running' && job.reason !== null) return `running for ${time}, waiting: ${job.reason}`;
  if (status === 'running') return `running for ${time}${steps || ', preparing'}`;
  if (status === 'paused') return `paused${steps}${job.reason === null ? '' : `: ${job.reason}`}`;
  const served = job.checkpoint === null ? '' : `, served as ${artifactOf(job)}`;
  return `${status} after ${time}${steps}${served}`;
}

/** What the trainer did in all runs of the job. */
function usageOf({ usage }: Shown): string[] {
  const { seconds, forwardTokens, trainedTokens, optimizerSteps } = usage;
  if (seconds === 0) return [];
  const [trained, scored, steps] = [trainedTokens, forwardTokens, optimizerSteps].map((count) =>
    count.toLocaleString('en-US'),
  );
  return [
    `the trainer worked ${duration(1000 * seconds)}: ${trained} tokens trained, ${scored} scored, ${steps} steps`,
  ];
}

function artifactOf({ project, model, checkpoint }: Job): string {
  return `wandb-artifact:///${project}/${model}:step${checkpoint}`;
}

/** The training data of the job. */
function dataOf({ data }: Event): string[] {
  const count = (name: string) => (Number(data[name]) || 0).toLocaleString('en-US');
  if (data.num_prompts !== undefined)
    return [`${count('num_prompts')} prompts, ${count('num_dropped_prompts')} too long`];
  const trained = `${count('num_trainable_tokens')} tokens trained`;
  if (data.num_pairs !== undefined) {
    return [`${count('num_pairs')} pairs, ${count('num_dropped_pairs')} too long; ${trained}`];
  }
  if (data.num_groups_submitted === undefined) {
    return [`${count('num_trajectories')} conversations, ${count('num_held_out_trajectories')} held out; ${trained}`];
  }
  return [
    `${count('num_trajectories')} trajectories in ${count('num_groups_submitted')} groups, ${count('num_groups_trainable')} of them to learn from`,
    `${trained}: ${count('num_exact_tokens')} exact, ${count('num_reconstructed_tokens')} reconstructed`,
  ];
}

/** The mean reward of this job and of those before it: within a job it does not change. */
function rewardOf({ reward }: Job, before: number[], width: number): string[] {
  if (reward === null) return [];
  return curveOf(before.length === 0 ? 'reward' : `reward, ${before.length + 1} jobs`, [...before, reward], width);
}

function totalOf(events: Event[]): number {
  return Number(events.find(({ type }) => type === 'training_started')?.data.num_sequences ?? 0);
}

function stepsOf(events: Event[]): Record<string, number>[] {
  return events.filter(({ type }) => type === 'gradient_step').map(({ data }) => data as Record<string, number>);
}

function heldOut(events: Event[], metric: 'val/loss' | 'val/reward'): number[] {
  const found = events.flatMap(({ type, data }) => (type === 'validation' ? [data[metric]] : []));
  return found.filter((value) => typeof value === 'number');
}

function noteOf({ type, data }: Event): string[] {
  if (type === 'alarm') return [`ALARM: ${data.message}`];
  if (type === 'warning') return [`warning: ${data.message}`];
  if (type === 'checkpoint') return [`checkpoint at step ${data.step}`];
  if (type === 'notice') return [String(data.message)];
  return type === 'training_failed' ? [String(data.error_message)] : [];
}

function valuesOf(steps: Record<string, number>[], metric: string): number[] {
  return steps.flatMap((step) => (typeof step[metric] === 'number' ? [step[metric]] : []));
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Lines that fit the terminal, so that they can be redrawn. Lines that do not fit are cut at the end. */
export function fitTo(lines: string[], { columns, rows }: { columns: number; rows: number }): string[] {
  const fitting = lines.map((line) => (line.length < columns ? line : `${line.slice(0, columns - 2)}…`));
  if (fitting.length < rows) return fitting;
  const shown = Math.max(1, rows - 2);
  return [...fitting.slice(0, shown), `… and ${fitting.length - shown} more lines`];
}
