import type { EvalDeps } from '../../evaluation/openai-evals/run-eval.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import type { Report } from './report.ts';

export type ImportContext = EvalDeps & { identity: Identity; services: Services };

/** What is being imported. */
export type Import = {
  context: ImportContext;
  owner: Owner;
  report: Report;
  refuse(reason: string): void;
  signal: AbortSignal;
};
