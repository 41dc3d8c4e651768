import { z } from 'zod';
import { templateMessage } from '../graders/message.ts';
import { float, int, jsonObject, optionalJsonObject, text } from '../wire.ts';

const seconds = () => int().nullish();

/** Rows in the request: JSON objects, stored as they were sent. */
const fileContent = z.object({
  type: z.literal('file_content'),
  content: z.array(z.object({ item: jsonObject(), sample: optionalJsonObject() })),
});
const fileId = z.object({ type: z.literal('file_id'), id: text() });

/** Chats of the project that were recorded as calls. */
const storedCompletions = z.object({
  type: z.literal('stored_completions'),
  model: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  created_after: seconds(),
  created_before: seconds(),
  limit: int().nullish(),
});

/** Responses of the project that may be retrieved. */
const storedResponses = z.object({
  type: z.literal('responses'),
  model: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  /** A part of the instructions; case is ignored. */
  instructions_search: z.string().nullish(),
  reasoning_effort: z.string().nullish(),
  temperature: float().nullish(),
  top_p: float().nullish(),
  /** Names of functions; a response that could call any of them matches. */
  tools: z.array(z.string()).max(100).nullish(),
  users: z.array(z.string()).max(100).nullish(),
  created_after: seconds(),
  created_before: seconds(),
});

const inputMessages = z.discriminatedUnion('type', [
  z.object({ type: z.literal('template'), template: z.array(templateMessage).min(1) }),
  z.object({ type: z.literal('item_reference'), item_reference: z.string() }),
]);

const sampling = {
  max_completion_tokens: int().nullish(),
  reasoning_effort: z.string().nullish(),
  seed: int().nullish(),
  temperature: float().nullish(),
  top_p: float().nullish(),
  tools: z.array(z.record(z.string(), z.unknown())).max(128).nullish(),
};
const format = z.looseObject({ type: z.string() });
const sampled = { model: text().nullish(), input_messages: inputMessages.nullish() };

/** What a run evaluates: recorded outputs, or the outputs of a model for rows. */
export const dataSource = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('jsonl'), source: z.discriminatedUnion('type', [fileContent, fileId]) }),
    z.object({
      type: z.literal('completions'),
      source: z.discriminatedUnion('type', [fileContent, fileId, storedCompletions]),
      ...sampled,
      sampling_params: z.object({ ...sampling, response_format: format.nullish() }).nullish(),
    }),
    z.object({
      type: z.literal('responses'),
      source: z.discriminatedUnion('type', [fileContent, fileId, storedResponses]),
      ...sampled,
      sampling_params: z.object({ ...sampling, text: z.looseObject({ format: format.nullish() }).nullish() }).nullish(),
    }),
  ])
  .meta({ id: 'OpenAIEvalRunDataSource' });

export type DataSource = z.output<typeof dataSource>;
export type InputMessages = z.output<typeof inputMessages>;
