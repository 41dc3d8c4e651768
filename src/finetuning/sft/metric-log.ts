import { parseHistoryRow, stepOf, writeHistoryRow } from '../../domain/runs/history.ts';
import type { SftSettings } from '../../domain/training/sft-settings.ts';
import type { Run as WandbRun } from '../../services/runs/runs.ts';
import { findEventData } from '../../store/postgres/training/events.ts';
import { nextStepOf, type TrainedModel } from '../../store/postgres/training/models.ts';
import type { JobRun } from '../job-run.ts';
import type { FinetuningDeps } from '../run-job.ts';

type Runs = FinetuningDeps['runs'];
type Metrics = Record<string, number>;
type Place = { run: string; first_row: number };

/** Logs a supervised job to the wandb run of its model: the rows that ART logs where it trains itself. */
export type MetricLog = {
  /** Stored with the job: if it is interrupted, it writes the same rows again. */
  place: Place;
  /** A row with the metrics of an optimizer step. */
  addStep(metrics: Metrics): Promise<void>;
  /** A row with the means of all steps and the metrics of the checkpoint; the run is finished. */
  end(metrics: Metrics): Promise<void>;
};

export async function openMetricLog(
  { runs, postgres }: Pick<FinetuningDeps, 'runs' | 'postgres'>,
  { job, model }: Pick<JobRun, 'job' | 'model'>,
  settings: NonNullable<SftSettings['metricLogging']>,
): Promise<MetricLog> {
  const { projectId, name } = model;
  const trainingStep = settings.trainingStep ?? (await nextStepOf(postgres, model.id));
  const { run } = await runs.upsert({ projectId, name, createdBy: job.createdBy }, { state: 'running' });
  const started = (await findEventData(postgres, job.id, 'training_started')) as { metric_logging?: Place } | null;
  const start = Math.min(started?.metric_logging?.first_row ?? run.historyLines, run.historyLines);
  const firstStep = await stepAfter(runs, run, start);
  const startedAt = Date.now();
  const sums = new Map<string, number>();
  let summary = parseHistoryRow(run.summary) ?? {};
  let steps = 0;

  async function add(metrics: Metrics, rows: number, state?: 'finished') {
    const now = Date.now();
    const row = {
      ...metrics,
      training_step: trainingStep,
      _step: firstStep + rows,
      _timestamp: now / 1000,
      _runtime: (now - run.createdAt.getTime()) / 1000,
    };
    summary = { ...summary, ...row };
    const lines = [{ stream: 'history' as const, firstLine: start + rows, lines: [writeHistoryRow(row)] }];
    await runs.report(run, { lines, summary: writeHistoryRow(summary), ...(state && { state }) });
  }

  return {
    place: { run: name, first_row: start },
    async addStep(metrics) {
      for (const [key, value] of Object.entries(metrics)) sums.set(key, (sums.get(key) ?? 0) + value);
      const named = Object.entries(metrics).map(([key, value]) => [`sft/${key}`, value]);
      await add({ ...Object.fromEntries(named), 'sft/gradient_step': steps + 1 }, steps);
      steps++;
    },
    async end(metrics) {
      const means = [...sums].map(([key, sum]) => [nameOfMean(key), sum / steps]);
      const seconds = (Date.now() - startedAt) / 1000;
      const counts = { 'data/step_num_gradient_steps': steps, 'time/step_trainer_s': seconds };
      await add({ ...metrics, ...Object.fromEntries(means), ...counts }, steps, 'finished');
    },
  };
}

/** Ends the run of a job that failed or was canceled. */
export async function failMetricLog(runs: Runs, { projectId, name }: TrainedModel): Promise<void> {
  const run = await runs.find(projectId, name);
  if (run?.state === 'running') await runs.report(run, { lines: [], state: 'failed' });
}

/** Clients number the rows of a run, and go on from the last. */
async function stepAfter(runs: Runs, run: WandbRun, row: number): Promise<number> {
  if (row === 0) return 0;
  for await (const line of runs.lines(run, 'history', { last: run.historyLines - row + 1 })) {
    return stepOf(parseHistoryRow(line) ?? {}) + 1;
  }
  return row;
}

/** ART adds the split to names outside the sections of its charts. */
function nameOfMean(key: string): string {
  return sections.has(key.split('/', 1)[0]!) && key.includes('/') ? key : `train/${key}`;
}

const sections = new Set(['loss', 'data']);
