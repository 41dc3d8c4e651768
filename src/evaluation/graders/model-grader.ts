import { z } from 'zod';
import type { GraderOf } from '../../contract/graders/grader.ts';
import { fillMessages } from '../../domain/graders/fill-messages.ts';
import type { Grade } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import type { Namespaces } from '../../domain/graders/template.ts';
import { sumUsage } from '../../domain/usage/sum-usage.ts';
import type { Completions } from '../../services/completions/completions.ts';
import type { Owner } from '../../services/owner.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { type AskedModel, askModel, textOf } from '../models/ask-model.ts';
import { resultFormat } from '../models/verdict-format.ts';
import { toGradeError } from './to-grade-error.ts';

type ModelGrader = GraderOf<'score_model'> | GraderOf<'label_model'>;

/** Asks a model for a score or a label, in a JSON object with its reasons first. @throws GradeError, Failure */
export async function gradeByModel(
  grader: ModelGrader,
  namespaces: Namespaces,
  {
    completions,
    owner,
    signal,
  }: { completions: Pick<Completions, 'complete' | 'isOwn'>; owner: Owner; signal: AbortSignal },
): Promise<Grade> {
  const messages = fillMessages(grader.input, namespaces);
  const first = await gradeOnce(parametersOf(grader));
  const isRead = !(first instanceof GradeError) || first.problem !== 'model_grader_parse_error';
  if (isRead || !(await completions.isOwn(grader.model, owner))) return gradeOf(first);
  // The answer of heddle's own engine was cut, or its score is out of range: it cannot be with this form.
  const second = await gradeOnce(shortParametersOf(grader));
  const usage = sumUsage([first.asked.usage, usageOf(second)]);
  return gradeOf(second instanceof GradeError ? withUsage(second, usage) : { ...second, usage });

  async function gradeOnce(parameters: Record<string, unknown>): Promise<Grade | GradeError> {
    const request = { model: grader.model, messages, parameters };
    const asked = await askModel(completions, request, owner, signal).catch((error) => {
      throw toGradeError(error, signal);
    });
    const spent = { samples: { [grader.name]: asked.sample }, usage: asked.usage };
    try {
      const result = resultOf(asked);
      const score = grader.type === 'score_model' ? scoreOf(grader, result) : Number(isPassing(grader, result));
      return { score, subScores: {}, ...spent };
    } catch (error) {
      if (error instanceof GradeError) return new GradeError(error.problem, error.message, spent);
      throw error;
    }
  }
}

/** @throws GradeError */
function gradeOf(found: Grade | GradeError): Grade {
  if (found instanceof GradeError) throw found;
  return found;
}

function usageOf(found: Grade | GradeError): Grade['usage'] {
  return found instanceof GradeError ? found.asked.usage : found.usage;
}

function withUsage({ problem, message, asked }: GradeError, usage: Grade['usage']): GradeError {
  return new GradeError(problem, message, { ...asked, usage });
}

/** As `parametersOf`, with the result alone and room for it. */
function shortParametersOf(grader: ModelGrader): Record<string, unknown> {
  const parameters = parametersOf(grader);
  const { response_format, tokensMax } = resultFormat(grader);
  return { ...parameters, response_format, max_completion_tokens: tokensMax };
}

function parametersOf(grader: ModelGrader): Record<string, unknown> {
  const { max_completions_tokens, max_completion_tokens, ...sampling } = grader.sampling_params ?? {};
  const limit = max_completion_tokens ?? max_completions_tokens;
  const set = Object.entries(sampling).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...Object.fromEntries(set),
    ...(limit ? { max_completion_tokens: limit } : {}),
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: grader.type === 'score_model' ? 'score' : 'label',
        strict: true,
        schema: answerSchema(grader),
      },
    },
  };
}

function answerSchema(grader: ModelGrader) {
  const result =
    grader.type === 'score_model'
      ? { type: 'number', description: `The score, from ${rangeOf(grader).join(' to ')}` }
      : { type: 'string', enum: grader.labels };
  return {
    type: 'object',
    properties: { reasoning: { type: 'string' }, result },
    required: ['reasoning', 'result'],
    additionalProperties: false,
  };
}

const answer = z.object({ result: z.union([z.number(), z.string()]) });

/** Some providers ignore the format, and answer with the result alone. */
function resultOf({ message }: AskedModel): number | string {
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    throw new GradeError('model_grader_refusal_error', `The model refused to grade: ${message.refusal.slice(0, 300)}`);
  }
  const text = (textOf(message) ?? '').trim();
  try {
    const parsed: unknown = parsePlain(text);
    const found = answer.safeParse(parsed);
    return found.success ? found.data.result : typeof parsed === 'number' ? parsed : text;
  } catch {
    return text;
  }
}

function rangeOf({ range }: GraderOf<'score_model'>): [number, number] {
  const [from = 0, to = 1] = range ?? [];
  return [from, to];
}

function scoreOf(grader: GraderOf<'score_model'>, result: number | string): number {
  const score = typeof result === 'number' ? result : Number(result || Number.NaN);
  const [from, to] = rangeOf(grader);
  if (score >= from && score <= to) return score;
  throw new GradeError(
    'model_grader_parse_error',
    `The model ${grader.model} must answer with a score from ${from} to ${to} (found ${shown(result)}).`,
  );
}

function isPassing(grader: GraderOf<'label_model'>, result: number | string): boolean {
  const label = String(result);
  if (grader.labels.includes(label)) return grader.passing_labels.includes(label);
  throw new GradeError(
    'model_grader_parse_error',
    `The model ${grader.model} must answer with one of the labels ${grader.labels.join(', ').slice(0, 300)} (found ${shown(result)}).`,
  );
}

function shown(result: number | string): string {
  return JSON.stringify(result).slice(0, 200);
}
