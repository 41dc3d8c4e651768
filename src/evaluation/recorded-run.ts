import type { Owner } from '../services/owner.ts';
import type { EvaluationSetup } from './setup.ts';

/** A run as its calls record it. Its id is that of its root call. */
export type RecordedRun = {
  id: string;
  owner: Owner;
  setup: Pick<EvaluationSetup, 'evaluationRef' | 'runName' | 'dataset' | 'trials'> & {
    model: { ref: string };
    scorers: { key: string }[];
  };
  /** The refs of ops, by their names. */
  opRefs: Record<string, string>;
  /** Of a run that was made elsewhere, in microseconds since 1970; otherwise it starts and ends as it is recorded. */
  times?: { startedAt: number; endedAt: number };
};
