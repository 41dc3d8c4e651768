import type { ProjectId } from '../../contract/ids.ts';

/** `gate`: candidates are compared on its rows. `held_out`: its rows are only kept out of training. */
export type SuitePurpose = 'gate' | 'held_out';

/** A version of a dataset whose rows models are tested on, and never trained on. It never changes. */
export type Suite = {
  id: string;
  name: string;
  purpose: SuitePurpose;
  /** The dataset's version, by its digest. */
  datasetRef: string;
  table: { projectId: ProjectId; digest: string };
  rowCount: number;
  /** The column that names a row's thread; null if each row is a thread of its own. */
  threadColumn: string | null;
  /** The probability of a wrong promotion that all candidates of the suite share. */
  alpha: number;
  frozenBy: string;
  frozenAt: Date;
  scan: SuiteScan;
};

/** The comparison of a suite with the training data of earlier jobs. */
type SuiteScan = {
  /** Null before it begins. */
  jobs: number | null;
  done: number;
  /** Jobs of which no data is left that could be compared. */
  unread: number;
  endedAt: Date | null;
  /** Why it was given up. */
  error: string | null;
};
