import type { TrainingKind, TrainingStatus } from '../training/job.ts';
import type { TrainedCall } from '../training/trained-call.ts';

/** Where an answer comes from, one step back, and what became of its call. */
export type Lineage = {
  /** Null if a checkpoint was asked for. */
  call: { id: string; answer: AnswerInLineage | null; scores: ScoreInLineage[] } | null;
  /** The checkpoint that answered; null if no adapter did, if it was deleted, or if the caller may not read its project. */
  checkpoint: CheckpointInLineage | null;
  /** The job that made the checkpoint; null for one that was uploaded. */
  job: {
    id: string;
    kind: TrainingKind;
    status: TrainingStatus | 'paused';
    /** The name of the user. */
    createdBy: string | null;
    createdAt: Date;
    startedAt: Date | null;
    endedAt: Date | null;
    calls: { total: number; train: number; validation: number };
  } | null;
  /** The checkpoint that the job continued from; null for the base model. */
  before: CheckpointInLineage | null;
  /** A page of the calls that the job was made from. */
  rows: RowInLineage[];
  /** The last call of the page, if there are more. */
  next: string | null;
  /** The newest jobs that were made from the call. */
  uses: UseInLineage[];
};

/** Of a call that records an answer of a served model. */
export type AnswerInLineage = {
  model: string;
  /** The id of the files of the base model. */
  baseModelId: string;
  /** The id of the adapter that answered: a checkpoint or an installed adapter. */
  adapterId: string | null;
  /** The name that was asked for. */
  policy: string | null;
};

export type CheckpointInLineage = {
  id: string;
  step: number;
  model: string;
  project: string;
  baseModel: string;
  createdAt: Date;
};

export type RowInLineage = {
  callId: string;
  weight: number | null;
  split: TrainedCall['split'] | null;
  /** Null if the call was deleted. */
  call: CallInLineage | null;
  scores: ScoreInLineage[];
};

export type CallInLineage = {
  id: string;
  opName: string;
  displayName: string;
  traceId: string;
  /** Microseconds since 1970. */
  startedAt: number;
  /** The checkpoint or adapter that answered, if the call is an answer. */
  adapterId: string | null;
};

/** Feedback on a call: who or what judged it. */
export type ScoreInLineage = {
  id: string;
  type: string;
  payload: unknown;
  createdAt: string;
  /** The person who gave it, or in whose name the judge ran. */
  user: string | null;
  creator: string | null;
  /** The ref of the judge; null for feedback of a person. */
  judge: string | null;
  /** The ref of the call in which the judge scored. */
  judgeCall: string | null;
  /** The ref of what people were asked to annotate. */
  annotation: string | null;
};

export type UseInLineage = {
  job: { id: string; kind: TrainingKind; status: TrainingStatus; model: string };
  weight: number | null;
  split: TrainedCall['split'] | null;
  /** Null before the job has ended. */
  checkpoint: { id: string; step: number } | null;
  /** In the project of the call. `hasMore`: the count stops there. */
  answers: { count: number; hasMore: boolean; newest: CallInLineage[] };
};
