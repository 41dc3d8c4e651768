import { z } from 'zod';
import type { JsonText } from '../util/json/json-text.ts';
import { parsePlain } from '../util/json/parse.ts';
import { anyJson, checkedJson, float, int, optional } from './wire.ts';

/**
 * Trajectories as ART sends them. Messages, choices and tools are kept as text, with every key that a client adds, such
 * as token ids. Unknown keys elsewhere are ignored, and null is the same as absent.
 */

/** A message, or a choice of a chat completion: an object with `role`, or with `message` and `finish_reason`. */
const messageOrChoice = checkedJson({ type: 'object', additionalProperties: true, id: 'MessageOrChoice' }, (json) =>
  isMessageOrChoice(json) ? null : notAMessage,
);

const notAMessage = 'Input should be a message with a role, or a choice with a message and a finish_reason';

function isMessageOrChoice(json: JsonText): boolean {
  if (json.kind !== 'object') return false;
  const { role, message, finish_reason: finishReason } = parsePlain(json.text);
  if (typeof message === 'object' && message !== null) return typeof finishReason === 'string';
  return typeof role === 'string';
}

const messagesAndChoices = z.array(messageOrChoice);
const tools = optional(z.array(anyJson({ type: 'object', additionalProperties: true })));

const history = z.object({ messages_and_choices: messagesAndChoices, tools }).meta({ id: 'History' });

/** Values of other types are ignored, because the client's own checks accept them. */
const freeValues = optional(z.record(z.string(), z.unknown()));
const logs = optional(z.array(z.string()));

const trajectory = z
  .object({
    messages_and_choices: messagesAndChoices,
    reward: float(),
    tools,
    additional_histories: optional(z.array(history)),
    initial_policy_version: optional(int()),
    final_policy_version: optional(int()),
    metrics: freeValues,
    auto_metrics: freeValues,
    metadata: freeValues,
    logs,
  })
  .meta({ id: 'Trajectory' });

const exception = z.object({
  type: optional(z.string()),
  message: optional(z.string()),
  traceback: optional(z.string()),
});

const trajectoryGroup = z
  .object({
    trajectories: z.array(trajectory),
    exceptions: optional(z.array(exception)),
    metadata: freeValues,
    metrics: freeValues,
    logs,
  })
  .meta({ id: 'TrajectoryGroup' });

export const trajectoryGroups = z.array(trajectoryGroup);

export type TrajectoryGroup = z.output<typeof trajectoryGroup>;
