import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import type { ModelSample } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { sampleOf, sampleOfMessage } from '../../domain/graders/sample.ts';
import { inputMessages } from '../../domain/openai-evals/input-messages.ts';
import { chatParameters } from '../../domain/openai-evals/sampling.ts';
import type { Completions } from '../../services/completions/completions.ts';
import type { Owner } from '../../services/owner.ts';
import { Failure } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { askModel, textOf } from '../models/ask-model.ts';
import type { UsageOfModels } from '../models/completion-model.ts';
import { isForAll } from '../score-once.ts';

/** The output that is graded for a row. */
export type RowSample = {
  /** As graders see it. */
  variables: Record<string, unknown>;
  /** As it is shown. `error` says why there is no output. */
  shown: Omit<ModelSample, 'output'> & { output: Record<string, unknown>[] };
  /** The text of the output, or the message if it calls tools; null if there is none. */
  output: unknown;
  usage: UsageOfModels;
};

/** A row of the data: the variables of templates, and perhaps an output that was recorded before. */
export type EvalRow = { item: Record<string, unknown>; sample: Record<string, unknown> | null };

export function rowOf(row: Record<string, unknown>): EvalRow {
  const { item, sample } = row;
  return { item: isObject(item) ? item : {}, sample: isObject(sample) ? sample : null };
}

/**
 * Asks the model of a run for a row, or takes the recorded output if the run has no model.
 * @throws Failure if no row can be asked, such as for an unknown model
 */
export async function sampleRow(
  { item, sample }: EvalRow,
  source: DataSource,
  { completions, owner, signal }: { completions: Completions; owner: Owner; signal: AbortSignal },
): Promise<RowSample> {
  if (source.type === 'jsonl' || !source.model) return recordedSample(sample);
  const { model } = source;
  const parameters = chatParameters(source);
  try {
    const input = source.input_messages ?? { type: 'item_reference' as const, item_reference: 'item.input' };
    const messages = inputMessages(input, { item, sample: sample ?? {} });
    const {
      message,
      sample: shown,
      usage,
    } = await askModel(completions, { model, messages, parameters }, owner, signal);
    const callsTools = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
    const variables = { model: shown.model, ...sampleOfMessage(message) };
    return { variables, shown, output: callsTools ? message : textOf(message), usage };
  } catch (error) {
    return failedSample(model, errorOf(error, signal));
  }
}

function recordedSample(sample: Record<string, unknown> | null): RowSample {
  const text = sample?.output_text;
  const variables = { ...(typeof text === 'string' ? sampleOf(text) : {}), ...sample };
  const model = typeof sample?.model === 'string' ? sample.model : '';
  const output = typeof text === 'string' ? [{ role: 'assistant', content: text }] : [];
  return { variables, shown: { ...noAnswer, model, output }, output: text ?? null, usage: {} };
}

function failedSample(model: string, error: { code: string; message: string }): RowSample {
  return { variables: {}, shown: { ...noAnswer, model, finish_reason: 'error', error }, output: null, usage: {} };
}

const noAnswer: RowSample['shown'] = {
  input: [],
  output: [],
  finish_reason: 'stop',
  model: '',
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cached_tokens: 0 },
  error: null,
  temperature: null,
  top_p: null,
  seed: null,
  max_completion_tokens: null,
};

/** @throws the error, if it concerns more than one row */
function errorOf(error: unknown, signal: AbortSignal): { code: string; message: string } {
  signal.throwIfAborted();
  if (error instanceof GradeError) return { code: error.problem, message: error.message };
  if (!(error instanceof Failure) || isForAll(error)) throw error;
  return { code: 'model_error', message: error.message };
}
