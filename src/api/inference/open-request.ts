import type { FastifyRequest } from 'fastify';
import type { ModelReference } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import type { Caller } from '../../identity/identity.ts';
import type { OpenedRequest } from '../../services/completions/own/opened-request.ts';
import type { InferenceHeaders } from './request-headers.ts';

type ReceivedRequest = {
  opName: string;
  /** The name in the request; without one, the default model is meant. */
  model: string | null | ModelReference;
  caller: Caller;
  headers: InferenceHeaders;
  raw: FastifyRequest;
  startedAt?: number;
  /** The conversation, if no header names one. */
  threadId?: string | null;
  /** Who the body says asks. */
  user?: string | null;
  /** The first response of the conversation that the request continues; null if it begins one. */
  conversation?: string | null;
};

/** Opens what a client sent for a model that heddle serves, as its headers say. @throws Failure */
export function openReceived(
  { config, services }: Pick<Context, 'config' | 'services'>,
  { opName, model, caller, headers, raw, startedAt, threadId = null, ...unit }: ReceivedRequest,
): Promise<OpenedRequest> {
  const { project, priority, sessionId, isTraced } = headers;
  const record = { opName, body: raw.body as Buffer, threadId: sessionId ?? threadId };
  return services.completions.open({
    ...{ caller, model: model || config.defaultModel, project, priority },
    ...unit,
    ...(startedAt === undefined ? {} : { startedAt }),
    record: isTraced ? record : null,
  });
}
