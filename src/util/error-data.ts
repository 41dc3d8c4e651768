import { Failure, type FailureKind, type ValidationDetail, ValidationError } from './failures.ts';
import { JsonDepthError, JsonSizeError, JsonSyntaxError } from './json/errors.ts';

/** An error as data: threads exchange data, not classes. */
export type ErrorData =
  | { kind: 'validation'; detail: ValidationDetail[] }
  | { kind: 'syntax'; message: string; position: number }
  | { kind: 'depth'; depthMax: number }
  | { kind: 'size'; valuesMax: number }
  | { kind: 'expected'; failure: FailureKind; message: string; extra: Record<string, unknown> }
  | { kind: 'defect'; message: string };

export function toErrorData(error: unknown): ErrorData {
  if (error instanceof ValidationError) return { kind: 'validation', detail: error.detail };
  if (error instanceof JsonSyntaxError) return { kind: 'syntax', message: error.message, position: error.position };
  if (error instanceof JsonDepthError) return { kind: 'depth', depthMax: error.depthMax };
  if (error instanceof JsonSizeError) return { kind: 'size', valuesMax: error.valuesMax };
  if (error instanceof Failure) {
    return { kind: 'expected', failure: error.kind, message: error.message, extra: error.extra };
  }
  return { kind: 'defect', message: error instanceof Error ? error.message : String(error) };
}

/** Throws again what was thrown in another thread. */
export function throwErrorData(data: ErrorData): never {
  switch (data.kind) {
    case 'validation':
      throw new ValidationError(data.detail);
    case 'syntax':
      throw new JsonSyntaxError(data.message, data.position);
    case 'depth':
      throw new JsonDepthError(data.depthMax);
    case 'size':
      throw new JsonSizeError(data.valuesMax);
    case 'expected':
      throw new Failure(data.failure, data.message, data.extra);
    case 'defect':
      throw new Error(data.message);
    default:
      throw data satisfies never;
  }
}
