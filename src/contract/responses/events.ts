import { z } from 'zod';
import { listedItem, outputItem } from './items.ts';
import { response } from './response.ts';

const sequence = { sequence_number: z.int() };
const place = { item_id: z.string(), output_index: z.int(), ...sequence };
const inContent = { ...place, content_index: z.int() };
const part = z.looseObject({ type: z.string(), text: z.string() });
const logprobs = z.array(z.looseObject({ token: z.string(), logprob: z.number() }));

const ofResponse = z.object({
  type: z.enum([
    'response.created',
    'response.queued',
    'response.in_progress',
    'response.completed',
    'response.incomplete',
    'response.failed',
  ]),
  response,
  ...sequence,
});
const ofItem = z.object({
  type: z.enum(['response.output_item.added', 'response.output_item.done']),
  output_index: z.int(),
  item: z.union([outputItem, listedItem]),
  ...sequence,
});
const ofPart = z.object({
  type: z.enum(['response.content_part.added', 'response.content_part.done']),
  part,
  ...inContent,
});
const textDelta = z.object({
  type: z.literal('response.output_text.delta'),
  delta: z.string(),
  logprobs,
  ...inContent,
});
const textDone = z.object({ type: z.literal('response.output_text.done'), text: z.string(), logprobs, ...inContent });
const reasoningDelta = z.object({ type: z.literal('response.reasoning_text.delta'), delta: z.string(), ...inContent });
const reasoningDone = z.object({ type: z.literal('response.reasoning_text.done'), text: z.string(), ...inContent });
const argumentsDelta = z.object({
  type: z.literal('response.function_call_arguments.delta'),
  delta: z.string(),
  ...place,
});
const argumentsDone = z.object({
  type: z.literal('response.function_call_arguments.done'),
  name: z.string(),
  arguments: z.string(),
  ...place,
});

/** One event of a stream. Each is sent with its type as the name of the event. */
export const responseEvent = z
  .union([
    ofResponse,
    ofItem,
    ofPart,
    textDelta,
    textDone,
    reasoningDelta,
    reasoningDone,
    argumentsDelta,
    argumentsDone,
  ])
  .meta({ id: 'ResponseEvent' });

type Numbered = z.input<typeof responseEvent>;
/** An event without its number. */
export type ResponseEvent = Numbered extends infer Each
  ? Each extends Numbered
    ? Omit<Each, 'sequence_number'>
    : never
  : never;
