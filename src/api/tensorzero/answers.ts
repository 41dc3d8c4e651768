import type { FastifyBaseLogger } from 'fastify';
import { answerOf } from '../../chat/output/deltas.ts';
import type { ChoiceEvent, GenerationEvent } from '../../chat/types.ts';
import type { BlockChunk, InferenceAnswer, InferenceChunk, OutputBlock } from '../../contract/tensorzero/inference.ts';
import type { StartedInference } from '../../services/tensorzero/infer.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { done, frame } from '../inference/stream-frames.ts';

/** The whole answer of an inference. @throws Failure */
export async function wholeInference(started: StartedInference): Promise<InferenceAnswer> {
  for await (const _ of started.chat.events);
  const more = { usage: usageOf(started), finish_reason: finishOf(started) };
  return started.type === 'json'
    ? { ...headOf(started), output: await jsonOutput(started), ...more }
    : { ...headOf(started), content: await contentOf(started), ...more };
}

/** The frames of a stream: what the model writes, then one with the usage and the finish reason, then `[DONE]`. */
export async function* inferenceFrames(
  started: StartedInference,
  log: FastifyBaseLogger,
  { aggregates }: { aggregates: boolean },
) {
  try {
    const calls: string[] = [];
    for await (const event of started.chat.events) {
      const chunk = chunkOf(started, event, calls);
      if (chunk !== null) yield frame(chunk);
    }
    yield frame(await lastChunk(started, aggregates));
  } catch (error) {
    yield frame({ error: toApiError(error as Error, log).message });
  }
  yield done;
}

/** @param calls the ids of the tool calls so far, by their index */
function chunkOf(started: StartedInference, event: GenerationEvent, calls: string[]): InferenceChunk | null {
  if (event.kind !== 'choice') return null;
  if (started.type === 'json') {
    const raw = answerOf(event.deltas.filter(({ kind }) => kind === 'content')).content;
    return raw === '' ? null : { ...headOf(started), raw };
  }
  const content = blocksOf(event.deltas, calls);
  return content.length === 0 ? null : { ...headOf(started), content };
}

/** Only the first piece of a tool call has its name. */
function blocksOf(deltas: ChoiceEvent['deltas'], calls: string[]): BlockChunk[] {
  return deltas.map((delta): BlockChunk => {
    if (delta.kind === 'content') return { type: 'text', id: '0', text: delta.text };
    if (delta.kind === 'reasoning') return { type: 'thought', id: '0', text: delta.text };
    if (delta.id !== undefined) calls[delta.index] = delta.id;
    const id = calls[delta.index] ?? String(delta.index);
    return { type: 'tool_call', id, raw_name: delta.name ?? '', raw_arguments: delta.arguments };
  });
}

async function lastChunk(started: StartedInference, aggregates: boolean): Promise<InferenceChunk> {
  const more = { usage: usageOf(started), finish_reason: finishOf(started) };
  return started.type === 'json'
    ? {
        ...{ ...headOf(started), raw: '', ...more },
        ...(aggregates ? { aggregated_response: await jsonOutput(started) } : {}),
      }
    : {
        ...{ ...headOf(started), content: [], ...more },
        ...(aggregates ? { aggregated_response: await contentOf(started) } : {}),
      };
}

function headOf({ inferenceId, episodeId, variantName }: StartedInference) {
  return { inference_id: inferenceId, episode_id: episodeId, variant_name: variantName };
}

function usageOf({ chat }: StartedInference) {
  const { prompt_tokens, completion_tokens } = chat.answer.usage;
  return { input_tokens: prompt_tokens, output_tokens: completion_tokens };
}

function finishOf({ chat }: StartedInference): InferenceAnswer['finish_reason'] {
  const { finishReason, stopReason } = chat.answer.choices[0]?.finish ?? {};
  if (finishReason === 'tool_calls') return 'tool_call';
  if (finishReason === 'length') return 'length';
  if (finishReason === 'stop') return typeof stopReason === 'string' ? 'stop_sequence' : 'stop';
  return 'unknown';
}

async function jsonOutput(started: StartedInference) {
  const { content } = answerOf(started.chat.answer.choices[0]!.deltas);
  return { raw: content, parsed: await started.parsedOutput(content) };
}

async function contentOf({ chat, parsedArguments }: StartedInference): Promise<OutputBlock[]> {
  const { content, reasoning, toolCalls } = answerOf(chat.answer.choices[0]!.deltas);
  const blocks: OutputBlock[] = [];
  if (reasoning !== null && chat.shown.reasoning) blocks.push({ type: 'thought', text: reasoning });
  if (content !== '') blocks.push({ type: 'text', text: content });
  for (const { id, function: called } of toolCalls) {
    const parsed = await parsedArguments(called.name, called.arguments);
    blocks.push({ type: 'tool_call', id, raw_name: called.name, raw_arguments: called.arguments, ...parsed });
  }
  return blocks;
}
