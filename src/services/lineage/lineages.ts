import type { Lineage } from '../../domain/lineage/lineage.ts';
import { projectsOfCall } from '../../store/clickhouse/calls/find/projects-of-call.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Project } from '../owner.ts';
import type { Responses } from '../responses/responses.ts';
import { type LineageRequest, traceLineage } from './trace-lineage.ts';
import { newestAnswers } from './verify/newest-answers.ts';
import { type Verified, type VerifyRequest, verifyAnswers } from './verify/verify.ts';

/** Where answers come from, and whether they can be computed again. */
export type Lineages = {
  /** See `traceLineage`. */
  trace(request: LineageRequest): Promise<Lineage>;
  /** See `verifyAnswers`. */
  verify(request: VerifyRequest): AsyncIterable<Verified>;
  /** The ids of the newest calls that record answers of heddle's own engine, the newest first. */
  newestAnswers(project: Project, last: number): Promise<string[]>;
  /** The ids of the projects that have a call with this id. */
  projectsOf(callId: string): Promise<string[]>;
};

export function openLineages(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity' | 'models' | 'inference' | 'modelReader'>,
  services: { calls: Calls; models: ServedModels; responses: Responses },
): Lineages {
  const { calls, responses, models: servedModels } = services;
  return {
    trace: (request) => traceLineage({ ...deps, calls }, request),
    verify: (request) => verifyAnswers({ ...deps, calls, responses, servedModels }, request),
    newestAnswers: (project, last) => newestAnswers({ calls }, project, last),
    projectsOf: (callId) => projectsOfCall(deps.clickhouse, callId),
  };
}
