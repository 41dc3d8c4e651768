import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../contract/errors.ts';
import type { Assignment } from '../../services/completions/own/recorded-answer.ts';

/** The values in the headers of a request to a model; null if absent. */
export type InferenceHeaders = {
  requestId: string | null;
  /** Takes precedence over the field of the body. */
  priority: number | null;
  /** The conversation that the request is a turn of. */
  sessionId: string | null;
  /** `entity/project` */
  project: string | null;
  isTraced: boolean;
};

/** @throws ApiError 400 for a priority that is not an integer */
export function readHeaders(headers: IncomingHttpHeaders): InferenceHeaders {
  const textOf = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    requestId: textOf('x-request-id'),
    priority: priorityOf(textOf('x-vllm-priority')),
    sessionId: textOf('x-session-id'),
    project: textOf('x-heddle-project'),
    isTraced: textOf('x-heddle-trace')?.toLowerCase() !== 'off',
  };
}

function priorityOf(text: string | null): number | null {
  if (text === null) return null;
  const priority = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(priority)) return priority;
  throw new ApiError(400, `The header X-Vllm-Priority must be an integer, got ${JSON.stringify(text)}.`, {
    param: 'priority',
  });
}

export function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** An id of the body may have characters that a header cannot. Of a policy, the variant that answers is named. */
export function headersToSend(requestId: string, { assignment }: { assignment: Assignment }): Record<string, string> {
  return {
    ...(/^[\x21-\x7e]{1,200}$/.test(requestId) ? { 'x-request-id': requestId } : {}),
    ...(assignment.kind === 'policy' ? { 'x-heddle-variant': assignment.answeredBy } : {}),
  };
}
