import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import type { RunResults } from './results.ts';
import type { RunObjects } from './run-objects.ts';

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'canceled' | 'failed';

/** A run of an eval as it is stored: what it evaluates and its results have OpenAI's shape. */
export type OpenAIEvalRun = {
  id: string;
  evalId: string;
  callId: string;
  name: string;
  /** With the rows of `file_content` left out. */
  dataSource: DataSource;
  model: string;
  metadata: Record<string, string>;
  status: RunStatus;
  error: { code: string; message: string } | null;
  results: RunResults;
  objects: RunObjects | null;
  createdBy: string;
  createdAt: Date;
};
