import { feedbackCreateSchema } from '../../../contract/feedback/feedback.ts';
import { newId } from '../../../contract/ids.ts';
import { keepTreeOf } from '../../../contract/keep-tree.ts';
import { validate } from '../../../contract/validate.ts';
import { Assigner } from '../../../domain/policies/assign.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { toJson } from '../../../util/json/write.ts';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import type { Owner } from '../../owner.ts';
import type { Services } from '../../services.ts';

/** The reward of an answer of a variant by a type of feedback; null for none. */
export type Rated = Record<string, (variant: string) => number | null>;

type Recorded = { count: number; rated: Rated; version?: number; secondsAgo?: number };

/**
 * Records single requests as the latest version of a policy assigns them, ten minutes ago unless said otherwise, with feedback
 * `{"value": reward}`.
 */
export async function recordAnswers(services: Services, owner: Owner, name: string, recorded: Recorded): Promise<void> {
  const { caller, project } = owner;
  const { policy, versions } = await services.policies.read(owner, name);
  const { count, rated, version: number = versions[0]!.number, secondsAgo = 600 } = recorded;
  const { calls, feedback } = services;
  const assigner = new Assigner(versions.find((each) => each.number === number)!);
  const endedAt = nowMicroseconds() - secondsAgo * 1e6;
  const [records, ratings] = [[], []] as [Parameters<typeof calls.record>[0], Parameters<typeof feedback.add>[1]];
  for (let i = 0; i < count; i++) {
    const id = newId();
    const { variant, unit, probability, bucket } = assigner.assign({ kind: 'request', id });
    const assignment = {
      ...{ policy: name, policy_id: policy.id, version: number, variant: variant.name, unit: unit.kind, unit_id: id },
      ...{ probability, bucket, moved: false, answered_by: variant.name, failure: null },
    };
    const at = { startedAt: endedAt + i, endedAt: endedAt + i };
    const texts = { attributes: toJson({ heddle: { assignment } }), inputs: '{}', summary: '{}', output: '""' };
    const part = await calls.makeComplete({ id, traceId: id, opName: 'chat', ...at, ...texts }, caller.userId);
    records.push({ projectId: project.id, id, part });
    for (const [type, rate] of Object.entries(rated)) {
      const value = rate(variant.name);
      if (value !== null) ratings.push({ ...feedbackOn(project.name, id, type, value), createdAt: endedAt + i + 1 });
    }
  }
  await calls.record(records);
  await feedback.add(caller, ratings);
}

function feedbackOn(project_id: string, callId: string, feedback_type: string, value: number) {
  const weave_ref = `weave:///${project_id}/call/${callId}`;
  const text = JSON.stringify({ project_id, weave_ref, feedback_type, payload: { value } });
  return validate(feedbackCreateSchema, parseJson(text, { keep: keepTreeOf(feedbackCreateSchema) }), 'body');
}
