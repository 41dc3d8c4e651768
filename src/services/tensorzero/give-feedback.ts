import { setTimeout } from 'node:timers/promises';
import { feedbackCreateSchema } from '../../contract/feedback/feedback.ts';
import { newId } from '../../contract/ids.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { derivedId, isCallId, madeAt } from '../../domain/calls/ids.ts';
import type { TensorZeroSettings } from '../../domain/tensorzero/settings.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Owner } from '../owner.ts';
import type { SettingsReader } from './read-settings.ts';

export type FeedbackRequest = Owner & {
  metricName: string;
  /** Parsed JSON. */
  value: unknown;
  inferenceId: string | null;
  episodeId: string | null;
  tags: Record<string, string>;
  isDryRun: boolean;
};

export type GiveFeedbackDeps = Pick<Deps, 'laterCalls'> & {
  calls: Calls;
  feedback: Feedback;
  settings: SettingsReader;
};

type Target = { level: 'inference' | 'episode'; id: string };

/**
 * Adds feedback on an inference, or on every inference of an episode, under the name of its metric. It is found by rewards as
 * `METRIC.value`.
 * @returns the id of the feedback; that of an episode has one for each inference, and this is the first @throws Failure
 */
export async function giveFeedback(deps: GiveFeedbackDeps, request: FeedbackRequest): Promise<string> {
  const { project, caller, metricName, tags, isDryRun } = request;
  const settings = await deps.settings.read(request);
  const target = targetOf(settings, request);
  const value = checkedValue(settings, request);
  const callIds = await findCalls(deps, target, request);
  if (callIds.length === 0) {
    const kind = target.level === 'inference' ? 'Inference' : 'Episode';
    throw invalidInput(`${kind} ID: ${target.id} does not exist`);
  }
  const id = newId();
  if (isDryRun) return id;
  const payload = { value, ...(Object.keys(tags).length === 0 ? {} : { tags }) };
  const items = callIds.map((callId, index) => {
    const sent = toJson({
      id: index === 0 ? id : derivedId(id, callId),
      project_id: project.name,
      weave_ref: `weave:///${project.name}/call/${callId}`,
      ...{ feedback_type: metricName, payload },
    });
    return validate(feedbackCreateSchema, parseJson(sent, { keep: keepTreeOf(feedbackCreateSchema) }), 'feedback');
  });
  await deps.feedback.add(caller, items);
  return id;
}

/** Comments and demonstrations need no metric. */
const withoutMetric = ['comment', 'demonstration'];

function targetOf(settings: TensorZeroSettings | null, request: FeedbackRequest): Target {
  const { metricName, inferenceId, episodeId } = request;
  if (inferenceId !== null && episodeId !== null)
    throw invalidInput('Both episode_id and inference_id cannot be provided');
  const metric = settings && (ownMember(settings.metrics, metricName) as TensorZeroSettings['metrics'][string]);
  if (!metric && !withoutMetric.includes(metricName))
    throw notFound(`Unknown metric: ${metricName.slice(0, 200)}`, { param: 'metric_name' });
  const level = metricName === 'demonstration' ? 'inference' : metric?.level;
  const id = { inference: inferenceId, episode: episodeId };
  if (level !== undefined) {
    if (id[level] === null) throw invalidInput(`Correct ID was not provided for feedback level "${level}".`);
    return { level, id: checkedId(id[level]) };
  }
  if (inferenceId !== null) return { level: 'inference', id: checkedId(inferenceId) };
  if (episodeId !== null) return { level: 'episode', id: checkedId(episodeId) };
  throw invalidInput('Exactly one of inference_id or episode_id must be provided');
}

function checkedId(id: string): string {
  const lower = id.toLowerCase();
  if (isCallId(lower) && madeAt(lower) !== null) return lower;
  throw invalidInput(`${id.slice(0, 100)} is not a UUIDv7.`);
}

function checkedValue(settings: TensorZeroSettings | null, { metricName, value }: FeedbackRequest): unknown {
  const metric = settings && (ownMember(settings.metrics, metricName) as TensorZeroSettings['metrics'][string]);
  if (metric?.type === 'boolean' && typeof value !== 'boolean')
    throw invalidInput(`Feedback value for metric \`${metricName}\` must be a boolean`);
  if (metric?.type === 'float' && typeof value !== 'number')
    throw invalidInput(`Feedback value for metric \`${metricName}\` must be a number`);
  if (metricName === 'comment' && !metric && typeof value !== 'string')
    throw invalidInput('Feedback value for a comment must be a string');
  if (metricName === 'demonstration' && !metric) return checkedDemonstration(value);
  return value;
}

/** Text, or blocks of a chat; a value of a JSON function. */
function checkedDemonstration(value: unknown): unknown {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (Array.isArray(value)) {
    const invalid = value.find((block) => !isObject(block) || !['text', 'tool_call'].includes(String(block.type)));
    if (invalid === undefined) return value;
    throw invalidInput('Invalid demonstration content block: it must have the type text or tool_call.');
  }
  if (isObject(value)) return { raw: JSON.stringify(value), parsed: value };
  throw invalidInput('Demonstration must be a string, an array of content blocks or an object');
}

/** How long after it began an inference may still be on its way to the store, and how often to look for it. */
const settlesMs = 6_000;
const looksEveryMs = 100;
const callsMax = 1_000;

/**
 * The calls that feedback is about. Those of this process are written first. Another process may have answered a moment ago, so
 * something young that is not there is looked for until it must be.
 */
async function findCalls(deps: GiveFeedbackDeps, target: Target, owner: Owner): Promise<string[]> {
  await Promise.race([deps.laterCalls.drain(), setTimeout(settlesMs, undefined, { ref: false })]);
  const age = Date.now() - madeAt(target.id)! / 1000;
  const until = Date.now() + Math.min(Math.max(settlesMs - age, 0), settlesMs);
  for (;;) {
    const found = await lookUp(deps.calls, target, owner);
    if (found.length > 0 || Date.now() >= until) return found;
    await setTimeout(looksEveryMs);
  }
}

async function lookUp(calls: Calls, { level, id }: Target, { project }: Owner): Promise<string[]> {
  if (level === 'inference')
    return (await calls.find([id], { project, columns: new Set(['id'] as const) })).map(({ call }) => call.id);
  const filter = { thread_ids: [id] };
  const pages = await calls.query({ project, filter, columns: new Set(['id'] as const), limit: callsMax + 1 });
  const found: string[] = [];
  for await (const page of pages) for (const { call } of page) found.push(call.id);
  if (found.length > callsMax) throw invalidInput(`Episode ID: ${id} has more than ${callsMax} inferences.`);
  return found;
}
