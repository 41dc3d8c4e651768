import { z } from 'zod';

const part = z.union([z.string(), z.looseObject({ type: z.string().optional() })]);

/** A part of a model's reasoning. */
const reasoningText = z.looseObject({ type: z.string().optional(), text: z.string().optional() });

/**
 * One item of a conversation. Which fields it has depends on its `type`: a message (also without a type), a
 * `function_call`, a `function_call_output`, `reasoning` or an `item_reference`.
 */
const inputItem = z
  .looseObject({
    type: z.string().nullish(),
    id: z.string().nullish(),
    status: z.string().nullish(),
    role: z.string().nullish(),
    content: z.union([z.string(), z.array(part), z.null()]).optional(),
    call_id: z.string().nullish(),
    name: z.string().nullish(),
    arguments: z.string().nullish(),
    output: z.union([z.string(), z.array(part), z.null()]).optional(),
    summary: z.array(reasoningText).nullish(),
    encrypted_content: z.string().nullish(),
  })
  .meta({ id: 'ResponseInputItem' });

/** A plain string is a message of the user. */
export const responseInput = z.union([z.string(), z.array(inputItem)]);

const status = z.enum(['in_progress', 'completed', 'incomplete']);
const tokenLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()) });

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })),
});

const outputMessage = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status,
  content: z.array(outputText),
});

const functionCall = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status,
});

const reasoning = z.object({
  id: z.string(),
  type: z.literal('reasoning'),
  summary: z.array(z.never()),
  content: z.array(z.object({ type: z.literal('reasoning_text'), text: z.string() })),
  /** The same text for clients that store only this field; it is encoded, not encrypted. */
  encrypted_content: z.string().nullable(),
  status,
});

export const outputItem = z.discriminatedUnion('type', [reasoning, outputMessage, functionCall]);
/** An item in a list, with its id. */
export const listedItem = z.looseObject({ id: z.string(), type: z.string() }).meta({ id: 'ResponseItem' });

export type InputItem = z.output<typeof inputItem>;
export type ResponseInput = z.output<typeof responseInput>;
export type OutputItem = z.output<typeof outputItem>;
export type OutputText = z.output<typeof outputText>;
export type ItemStatus = z.output<typeof status>;
