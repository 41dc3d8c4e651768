import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { CompletionsBody } from '../../contract/completions/completion.ts';
import type { Caller } from '../../identity/identity.ts';
import { type ModelCall, openModelCall } from '../../services/completions/model-call.ts';
import type { Owner } from '../../services/owner.ts';
import { Canceled, Failure, invalidInput } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';

/** A request for a completion, with the call it is recorded as, if it is to be. */
export type Traced = { owner: Owner; call: ModelCall | null };

/** The project is made only if something is recorded in it. @throws ApiError, Failure */
export async function openTraced(
  { identity, services: { calls } }: Context,
  { body, caller, raw }: { body: CompletionsBody; caller: Caller; raw: FastifyRequest },
): Promise<Traced> {
  if (body.inference_route !== null) {
    throw invalidInput(
      'inference_route is not supported. Publish a Provider with this base_url and use custom::PROVIDER::MODEL.',
    );
  }
  const name = body.project_id;
  const isTracked = body.track_llm_call !== false;
  const id = await (isTracked ? identity.projectForWrite(caller, name) : identity.projectForRead(caller, name));
  const owner: Owner = { project: { id, name }, caller };
  if (!isTracked) return { owner, call: null };
  const { trace_id, parent_id, conversation_id, conversation_name, source } = body;
  const about = { conversation_id, conversation_name, source };
  const given = Object.entries(about).filter(([, value]) => value !== null);
  const inputs = recordedInputs(raw.body as Buffer);
  const call = await openModelCall(calls, {
    ...owner,
    opName: 'weave.completions_create',
    inputs: () => inputs,
    traceId: trace_id,
    parentId: parent_id,
    threadId: conversation_id,
    attributes: given.length > 0 ? { completion: Object.fromEntries(given) } : {},
  });
  return { owner, call };
}

/** As they were sent, without what is not set and what may contain credentials. */
function recordedInputs(bytes: Buffer): string {
  const { inputs } = parseJson(bytes.toString(), { keep: { inputs: { '*': true } } }) as {
    inputs: Record<string, JsonText>;
  };
  const shown = Object.entries(inputs).filter(([name, value]) => value.kind !== 'null' && !credentials.has(name));
  return toJson(Object.fromEntries(shown));
}

const credentials = new Set(['extra_headers', 'vertex_credentials']);

/** The ids that clients are given of a call. */
export function idsOf({ call }: Traced, { conversation_id }: Pick<CompletionsBody, 'conversation_id'>) {
  if (call === null) return { weave_call_id: null, span_id: null, trace_id: null, conversation_id: null };
  return { weave_call_id: call.id, span_id: call.id, trace_id: call.traceId, conversation_id };
}

/**
 * Why a model did not answer, for the client, who gets it with status 200.
 * @throws what is not a problem of the model, its provider or the inputs
 */
export function problemOf(error: unknown): string {
  if (error instanceof Failure && !(error instanceof Canceled)) return error.message;
  throw error;
}
