import { JsonDepthError, JsonSizeError, JsonSyntaxError } from '../util/json/errors.ts';
import { ApiError, type ValidationDetail, ValidationError } from './errors.ts';

/** An expected failure as data: threads exchange data, not classes. */
export type Failure =
  | { kind: 'validation'; detail: ValidationDetail[] }
  | { kind: 'syntax'; message: string; position: number }
  | { kind: 'depth'; depthMax: number }
  | { kind: 'size'; valuesMax: number }
  | { kind: 'api'; status: number; reason: string; extra: Record<string, unknown> }
  | { kind: 'defect'; message: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof ValidationError) return { kind: 'validation', detail: error.detail };
  if (error instanceof JsonSyntaxError) return { kind: 'syntax', message: error.message, position: error.position };
  if (error instanceof JsonDepthError) return { kind: 'depth', depthMax: error.depthMax };
  if (error instanceof JsonSizeError) return { kind: 'size', valuesMax: error.valuesMax };
  if (error instanceof ApiError) {
    return { kind: 'api', status: error.status, reason: error.message, extra: error.extra };
  }
  return { kind: 'defect', message: error instanceof Error ? error.message : String(error) };
}

/** Throws again what was thrown in another thread. */
export function throwFailure(failure: Failure): never {
  switch (failure.kind) {
    case 'validation':
      throw new ValidationError(failure.detail);
    case 'syntax':
      throw new JsonSyntaxError(failure.message, failure.position);
    case 'depth':
      throw new JsonDepthError(failure.depthMax);
    case 'size':
      throw new JsonSizeError(failure.valuesMax);
    case 'api':
      throw new ApiError(failure.status, failure.reason, failure.extra);
    case 'defect':
      throw new Error(failure.message);
    default:
      throw failure satisfies never;
  }
}
