import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { errorText } from '../../../util/error-text.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { protobufType } from './forward-backward-proto.ts';
import { type TinkerAnswer, TinkerFailure, type TinkerHttp } from './http.ts';
import { otherwise } from './wire.ts';

/** Reads a JSON answer. @throws TinkerFailure for one of another shape */
export function readAnswer<Schema extends z.ZodType>(
  { host }: Pick<TinkerHttp, 'host'>,
  what: string,
  { bytes }: TinkerAnswer,
  schema: Schema,
): z.infer<Schema> {
  const parsed = schema.safeParse(jsonOf(bytes));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'the answer';
  throw new TinkerFailure(
    'unavailable',
    `The answer of the Tinker server ${host} to ${what} is not understood: ${field}.`,
  );
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

const firstWaitMs = 20;
const waitMsMax = 2_000;
/** A server may queue a request while others use it. */
const resultMsMax = 3_600_000;

/**
 * Asks for the result of a request until it is there. Asking again changes nothing, so that lost answers do no harm.
 * @throws TinkerFailure, with the words of the server if the request failed
 */
export async function resultOf(
  http: TinkerHttp,
  { requestId, what }: { requestId: string; what: string },
  signal?: AbortSignal,
): Promise<TinkerAnswer> {
  const startedAt = performance.now();
  const body = { request_id: requestId };
  const accept = `${protobufType}, application/json`;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, waitMsMax)) {
    const askedAt = performance.now();
    const answer = await http.send({ method: 'POST', path: 'retrieve_future', body, accept, resend: 'always', signal });
    if (!isLater(answer)) return succeeded(http, what, answer);
    if (performance.now() - startedAt > resultMsMax) {
      throw new TinkerFailure('unavailable', `The Tinker server ${http.host} has not finished ${what} within an hour.`);
    }
    // A server that held the question open for long need not be spared.
    if (performance.now() - askedAt < waitMs) await sleep(waitMs, undefined, { signal });
  }
}

function isLater({ status, type, bytes }: TinkerAnswer): boolean {
  if (status === 408) return true;
  return type === 'application/json' && bytes.length < 4096 && shapeOf(bytes).type === 'try_again';
}

function succeeded(http: TinkerHttp, what: string, answer: TinkerAnswer): TinkerAnswer {
  if (answer.type === protobufType) return answer;
  const { error, category } = shapeOf(answer.bytes);
  if (error == null) return answer;
  const words = errorText(JSON.stringify({ error }));
  const kind = category === 'user' ? 'invalidInput' : 'unavailable';
  throw new TinkerFailure(kind, `The Tinker server ${http.host} failed at ${what}: ${words}`);
}

function shapeOf(bytes: Uint8Array) {
  return otherwise.safeParse(jsonOf(bytes)).data ?? {};
}
