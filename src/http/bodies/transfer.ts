import { ApiError, type ValidationDetail, ValidationError } from '../../contract/errors.ts';
import { JsonDepthError, JsonSyntaxError } from '../../util/json/errors.ts';
import { JsonText } from '../../util/json/json-text.ts';
import type { KeepTree } from '../../util/json/parse.ts';

/** What a worker answers. Threads exchange data, not classes: `fromWorker` makes texts and errors whole again. */
export type WorkerAnswer = { value: unknown } | { failure: Failure };

type Failure =
  | { kind: 'validation'; detail: ValidationDetail[] }
  | { kind: 'syntax'; message: string; position: number }
  | { kind: 'depth'; depthMax: number }
  | { kind: 'api'; status: number; reason: string; extra: Record<string, unknown> }
  | { kind: 'defect'; message: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof ValidationError) return { kind: 'validation', detail: error.detail };
  if (error instanceof JsonSyntaxError) return { kind: 'syntax', message: error.message, position: error.position };
  if (error instanceof JsonDepthError) return { kind: 'depth', depthMax: error.depthMax };
  if (error instanceof ApiError) {
    return { kind: 'api', status: error.status, reason: error.message, extra: error.extra };
  }
  return { kind: 'defect', message: error instanceof Error ? error.message : String(error) };
}

/** The value a worker made; throws what it threw. */
export function fromWorker(answer: WorkerAnswer, kept: KeepTree | undefined): unknown {
  if ('value' in answer) return kept === undefined ? answer.value : withTexts(answer.value, kept);
  const { failure } = answer;
  switch (failure.kind) {
    case 'validation':
      throw new ValidationError(failure.detail);
    case 'syntax':
      throw new JsonSyntaxError(failure.message, failure.position);
    case 'depth':
      throw new JsonDepthError(failure.depthMax);
    case 'api':
      throw new ApiError(failure.status, failure.reason, failure.extra);
    case 'defect':
      throw new Error(failure.message);
    default:
      return failure satisfies never;
  }
}

/** Kept texts stand where the tree says; they arrive as plain objects. */
function withTexts(value: unknown, kept: KeepTree): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (kept === true) return new JsonText((value as { text: string }).text);
  if (Array.isArray(value)) {
    const ofElements = kept['*'];
    return ofElements === undefined ? value : value.map((element) => withTexts(element, ofElements));
  }
  const members = value as Record<string, unknown>;
  for (const [key, tree] of Object.entries(kept)) {
    if (key !== '*' && key in members) members[key] = withTexts(members[key], tree);
  }
  return members;
}
