import type { ModelReference } from '../../../chat/types.ts';
import type { Tenant } from '../../../engine/scheduling/generation-request.ts';
import type { Caller } from '../../../identity/identity.ts';
import type { JsonText } from '../../../util/json/json-text.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Deps } from '../../deps.ts';
import { isArtifact, projectOfArtifact } from '../../models/artifact-model.ts';
import type { ServedModels } from '../../models/served-models.ts';
import { defaultProject } from '../../owner.ts';
import { newModelCall } from '../model-call.ts';
import { type OpenedRequest, openedRequest } from './opened-request.ts';

/** A request to a model that heddle serves. */
export type NewRequest = {
  caller: Caller;
  /** The name of the model, or the model itself. */
  model: string | ModelReference;
  /** `entity/project`; null for the project in the name of a trained model, or else the caller's default project. */
  project: string | null;
  /** Takes precedence over the one of the body. */
  priority?: number | null;
  /** Now, if it is not given. */
  startedAt?: number;
  /** How it is recorded; null if it is not. */
  record: RequestRecord | null;
};

/**
 * Where a request is stored in its call:
 * - `inputs`: the body of the request as it was sent.
 * - `output`: the answer as it is when not streamed.
 * - `attributes.heddle`: `model` with the id of the very files that answered, `assignment` (`Assignment`), and what the answer adds.
 * - `summary.usage[model]`: the tokens.
 * - `thread_id`: the conversation of which the call is a turn.
 */
type RequestRecord = { opName: string; body: Buffer; threadId: string | null };

export type RequestDeps = Pick<Deps, 'identity' | 'inference'> & {
  models: Pick<ServedModels, 'resolve'>;
  calls: Calls;
};

/** @throws Failure for a model that does not exist, and for a project that the caller may not write to */
export async function openRequest(deps: RequestDeps, request: NewRequest): Promise<OpenedRequest> {
  const { caller, model: wanted, priority = null, startedAt = nowMicroseconds(), record } = request;
  const model = typeof wanted === 'string' ? await deps.models.resolve(wanted, caller) : wanted;
  const project = request.project ?? projectOfArtifact(model.name) ?? defaultProject(caller);
  const { userId } = caller;
  const call =
    record &&
    newModelCall(deps.calls, {
      ...{ projectId: await deps.identity.projectForWrite(caller, project), userId, startedAt },
      ...{ opName: record.opName, threadId: record.threadId, inputs: () => minified(record.body.toString()) },
    });
  return openedRequest(deps, {
    ...{ model, tenant: [userId, project], priority, startedAt, call },
    assignment: {
      policy: typeof wanted === 'string' ? wanted : model.name,
      unit: record?.threadId ? 'thread' : 'request',
    },
    bodyBytes: record?.body.length ?? 0,
    isForTraining: isArtifact(model.name),
  });
}

/** A request of a job to the model that it trains. */
export type TrainingRequest = { model: ModelReference; tenant: Tenant };

export function openTrainingRequest(deps: Pick<Deps, 'inference'>, { model, tenant }: TrainingRequest): OpenedRequest {
  const startedAt = nowMicroseconds();
  return openedRequest(deps, {
    model,
    assignment: { policy: model.name, unit: 'request' },
    tenant,
    priority: null,
    startedAt,
    call: null,
    bodyBytes: 0,
    isForTraining: true,
  });
}

/** A request that repeats one of before, behind all others. Nothing is recorded. */
export function openReplay(
  deps: Pick<Deps, 'inference'>,
  { model, tenant, startedAt }: TrainingRequest & { startedAt: number },
): OpenedRequest {
  return openedRequest(deps, {
    ...{ model, tenant, startedAt, assignment: { policy: model.name, unit: 'request' } },
    ...{ priority: replayPriority, call: null, bodyBytes: 0, isForTraining: true },
  });
}

const replayPriority = 1000;

function minified(text: string): string {
  return (parseJson(text, { keep: true }) as JsonText).text;
}
