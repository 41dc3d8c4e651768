import { responseId } from '../../../chat/responses/ids.ts';
import type { ModelReference } from '../../../chat/types.ts';
import { newId, type ProjectId } from '../../../contract/ids.ts';
import { isPolicyName } from '../../../domain/policies/name.ts';
import type { Tenant } from '../../../engine/scheduling/generation-request.ts';
import type { Caller } from '../../../identity/identity.ts';
import { invalidInput } from '../../../util/failures.ts';
import type { JsonText } from '../../../util/json/json-text.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Deps } from '../../deps.ts';
import { projectOfArtifact } from '../../models/artifact-model.ts';
import type { ServedModels } from '../../models/served-models.ts';
import { defaultProject } from '../../owner.ts';
import type { PolicyRequests } from '../../policies/policy-requests.ts';
import { type ModelCall, newModelCall } from '../model-call.ts';
import { type Answerer, ownAnswerer } from './answerer.ts';
import { type Candidates, type OpenedRequest, openedRequest } from './opened-request.ts';

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
  /** Who the client says asks, in words of its own. */
  user?: string | null;
  /** The first response of the conversation that the request continues; null if it begins one. */
  conversation?: string | null;
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
  policies: PolicyRequests;
};

/** @throws Failure for a model that does not exist, and for a project that the caller may not write to */
export async function openRequest(deps: RequestDeps, request: NewRequest): Promise<OpenedRequest> {
  const { caller, model: wanted, priority = null, startedAt = nowMicroseconds(), record } = request;
  if (typeof wanted === 'string' && isPolicyName(wanted)) return openByPolicy(deps, wanted, request);
  const model = typeof wanted === 'string' ? await deps.models.resolve(wanted, caller) : wanted;
  const project = request.project ?? projectOfArtifact(model.name) ?? defaultProject(caller);
  return openedRequest(deps, {
    candidates: only(ownAnswerer(deps.inference, model)),
    ...{ tenant: [caller.userId, project], priority, startedAt },
    call:
      record && callOf(deps, request, { projectId: await deps.identity.projectForWrite(caller, project), startedAt }),
    assignment: {
      kind: 'plain',
      policy: typeof wanted === 'string' ? wanted : model.name,
      unit: record?.threadId ? 'thread' : 'request',
    },
    bodyBytes: record?.body.length ?? 0,
  });
}

/** The answers of a policy are recorded in its project, where they are compared. */
async function openByPolicy(deps: RequestDeps, name: string, request: NewRequest): Promise<OpenedRequest> {
  const { caller, priority = null, startedAt = nowMicroseconds(), record, user = null, conversation } = request;
  const live = await deps.policies.find(name, caller);
  const { project } = live;
  if (request.project !== null && request.project !== project.name) {
    throw invalidInput(
      `Answers of ${name} are recorded in ${project.name}, not in ${request.project}: leave the header X-Heddle-Project out.`,
      { param: 'model' },
    );
  }
  const call = record && callOf(deps, request, { projectId: project.id, startedAt });
  // The first response of a conversation has no thread: its own id is what the next ones name.
  const first = conversation === null && call ? responseId({ callId: call.id, projectId: project.id }) : conversation;
  const threadId = record?.threadId ?? first ?? null;
  const chosen = await deps.policies.choose(live, caller, { threadId, user, requestId: call?.id ?? newId() });
  return openedRequest(deps, {
    ...chosen,
    ...{ tenant: [caller.userId, project.name], priority, startedAt, call },
    bodyBytes: record?.body.length ?? 0,
  });
}

function callOf(
  { calls }: RequestDeps,
  { caller, record }: NewRequest,
  of: { projectId: ProjectId; startedAt: number },
): ModelCall {
  const { opName, threadId, body } = record!;
  return newModelCall(calls, {
    ...{ ...of, userId: caller.userId, opName, threadId },
    inputs: () => minified(body.toString()),
  });
}

/** A request of a job to the model that it trains. */
export type TrainingRequest = { model: ModelReference; tenant: Tenant };

export function openTrainingRequest(deps: Pick<Deps, 'inference'>, { model, tenant }: TrainingRequest): OpenedRequest {
  return openedRequest(deps, {
    candidates: only(ownAnswerer(deps.inference, model, { isForTraining: true })),
    assignment: { kind: 'plain', policy: model.name, unit: 'request' },
    ...{ tenant, priority: null, startedAt: nowMicroseconds(), call: null, bodyBytes: 0 },
  });
}

/** A request that repeats one of before, behind all others. Nothing is recorded. */
export function openReplay(
  deps: Pick<Deps, 'inference'>,
  { model, tenant, startedAt }: TrainingRequest & { startedAt: number },
): OpenedRequest {
  return openedRequest(deps, {
    candidates: only(ownAnswerer(deps.inference, model, { isForTraining: true })),
    assignment: { kind: 'plain', policy: model.name, unit: 'request' },
    ...{ tenant, startedAt, priority: replayPriority, call: null, bodyBytes: 0 },
  });
}

const replayPriority = 1000;

function only(answerer: Answerer): Candidates {
  return { first: answerer, inOrder: [{ name: answerer.model.name, open: async () => answerer }] };
}

function minified(text: string): string {
  return (parseJson(text, { keep: true }) as JsonText).text;
}
