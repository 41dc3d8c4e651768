import type { ProjectId } from '../../contract/ids.ts';
import { type Overlap, type OverlapsOfCalls, refusalOf } from '../../domain/suites/overlap.ts';
import type { Suite } from '../../domain/suites/suite.ts';
import type { Caller } from '../../identity/identity.ts';
import {
  addOverlaps,
  countOverlaps,
  overlapsOfJob,
  overlapsOfSuite,
  rowsTrainedBy,
  saveSuiteCheck,
  type TrainedOverlap,
} from '../../store/postgres/suites/overlaps.ts';
import { findSuiteById, listSuites, saveScan } from '../../store/postgres/suites/suites.ts';
import { countJobsToScan, jobsBehindCheckpoint, jobsToScan } from '../../store/postgres/suites/trained-jobs.ts';
import type { TrainingJob } from '../../store/postgres/training/jobs.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { findArtifact, parseArtifactName } from '../models/artifact-model.ts';
import { findFineTunedModel } from '../models/fine-tuned-model.ts';
import { openCompareData, type TrainingData } from './compare-data.ts';
import { countedOf, type TrainedDataDeps, trainedData } from './trained-data.ts';

type Running = { signal: AbortSignal; assertHeld(db?: Deps['postgres']['db']): Promise<void> };

/** Keeps rows of suites out of training data. */
export type Wall = {
  /**
   * Compares the data of a job with the suites of its project, and stores what matches.
   * @returns which suites it was compared with
   * @throws Failure that names the first matches, unless the job allows them
   */
  checkJob(
    job: TrainingJob,
    data: Omit<TrainingData, 'counted'>,
    of: { projectId: ProjectId } & Running,
  ): Promise<CheckedSuites>;
  /** Stores what matches the suites that were frozen since the check: it is too late to refuse them. */
  recordNewer(
    job: TrainingJob,
    data: Omit<TrainingData, 'counted'>,
    of: { projectId: ProjectId; checked: CheckedSuites } & Running,
  ): Promise<void>;
  /** What a job with this data would match. Nothing is stored. */
  preview(projectId: ProjectId, data: TrainingData, signal: AbortSignal): Promise<OverlapsOfCalls>;
  /** Compares a suite with what the jobs of its project have trained on, and stores what matches. */
  scan(suiteId: string, of: Running & { report(progress: { done: number; total: number }): void }): Promise<void>;
  /** Stores why a scan was given up. */
  failScan(suiteId: string, reason: string, assertHeld: Running['assertHeld']): Promise<void>;
  /** The matches of a job, the first lines first. */
  ofJob(jobId: string, limit: number): Promise<Overlap[]>;
  /** The rows of a suite that models were trained on, and how many there are. */
  ofSuite(suiteId: string, limit: number): Promise<{ rows: number; overlaps: TrainedOverlap[] }>;
  /**
   * The indexes of the rows of a suite, in order, that overlap with what a model was trained on, and the checkpoints that it comes
   * from. None for base models. Whether all of these were compared, `suite.scan` says.
   * @param model `wandb-artifact:///entity/project/name[:stepN]`, the name of a fine-tuned model, or that of a base model
   * @throws Failure for a model that does not exist or that the caller may not read
   */
  notClean(suite: Pick<Suite, 'id'>, model: string, caller: Caller): Promise<number[]>;
};

type CheckedSuites = ReadonlySet<string>;

/** Read from the store together. */
const jobsTogether = 100;

export function openWall(deps: TrainedDataDeps & Pick<Deps, 'models'>): Wall {
  const { postgres } = deps;
  const compare = openCompareData(deps);

  return {
    async checkJob(job, { open }, { projectId, signal, assertHeld }) {
      const suites = await listSuites(postgres, projectId);
      const counted = countedOf(job.kind);
      const found = await compare(projectId, suites, { open, counted }, { signal });
      const check = found.rows === 0 ? 'clean' : job.allowsSuiteRows ? 'allowed' : 'refused';
      if (suites.length > 0) await saveSuiteCheck(postgres, job.id, found, check, assertHeld);
      if (check === 'refused') {
        const param = job.kind === 'rl' ? 'trajectory_groups' : 'training_data_url';
        throw invalidInput(refusalOf(found, counted === 'lines' ? 'Line' : 'Trajectory'), { param });
      }
      return new Set(suites.map(({ id }) => id));
    },

    async recordNewer(job, { open }, { projectId, checked, signal, assertHeld }) {
      const newer = (await listSuites(postgres, projectId)).filter(({ id }) => !checked.has(id));
      if (newer.length === 0) return;
      const { overlaps } = await compare(projectId, newer, { open, counted: countedOf(job.kind) }, { signal });
      await assertHeld();
      await addOverlaps(postgres, job.id, overlaps);
    },

    async preview(projectId, data, signal) {
      return compare(projectId, await listSuites(postgres, projectId), data, { signal });
    },

    async scan(suiteId, { signal, assertHeld, report }) {
      const found = await findSuiteById(postgres, suiteId);
      if (!found || found.suite.scan.endedAt !== null) return; // deleted, or ended just before a crash
      const { suite, projectId } = found;
      const total = await countJobsToScan(postgres, projectId);
      let [done, unread] = [0, 0];
      await saveScan(postgres, suiteId, { scan_jobs: total, scan_done: 0, scan_unread: 0 }, assertHeld);
      for (let after: string | null = null; ; ) {
        const jobs = await jobsToScan(postgres, { projectId, after, limit: jobsTogether });
        if (jobs.length === 0) break;
        for (const job of jobs) {
          signal.throwIfAborted();
          const data = await trainedData(deps, projectId, job);
          for (const each of data) {
            const { overlaps } = await compare(projectId, [suite], each, { signal });
            await assertHeld();
            await addOverlaps(postgres, job.id, overlaps);
          }
          if (data.length === 0) unread++;
          report({ done: ++done, total });
          await saveScan(postgres, suiteId, { scan_done: done, scan_unread: unread }, assertHeld);
        }
        after = jobs.at(-1)!.id;
      }
      await saveScan(postgres, suiteId, { scan_jobs: done, scan_ended_at: new Date() }, assertHeld);
    },

    failScan: (suiteId, reason, assertHeld) =>
      saveScan(postgres, suiteId, { scan_error: reason, scan_ended_at: new Date() }, assertHeld),

    ofJob: (jobId, limit) => overlapsOfJob(postgres, jobId, limit),

    async ofSuite(suiteId, limit) {
      const overlaps = await overlapsOfSuite(postgres, suiteId, limit);
      return { rows: await countOverlaps(postgres, suiteId), overlaps };
    },

    async notClean({ id }, model, caller) {
      const checkpointId = await checkpointOf(model, caller);
      if (checkpointId === null) return [];
      return rowsTrainedBy(postgres, id, await jobsBehindCheckpoint(postgres, checkpointId));
    },
  };

  async function checkpointOf(model: string, caller: Caller): Promise<string | null> {
    const artifact = parseArtifactName(model);
    if (artifact) return (await findArtifact(deps, caller, artifact)).checkpoint?.id ?? null;
    return (await findFineTunedModel(deps, model, caller))?.checkpointId ?? null;
  }
}
