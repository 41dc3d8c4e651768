import { hash } from 'node:crypto';
import type { Run } from '../../store/postgres/runs/runs.ts';

/** The keys of runs in the blob store. */
export const runKeys = {
  /** Names of files may contain what keys may not. */
  file: (run: Pick<Run, 'id' | 'projectId'>, name: string) => `${runKeys.files(run)}/${hash('sha256', name)}`,
  /** Below it are the files of a run. */
  files: ({ id, projectId }: Pick<Run, 'id' | 'projectId'>) => `projects/${projectId}/run-files/${id}`,
};
