import { readAnswer } from './futures.ts';
import { TinkerFailure, type TinkerHttp, type TinkerRequest } from './http.ts';
import { capabilitiesAnswer, sessionAnswer } from './wire.ts';

/** A session keeps its models on the server: without its heartbeats, a server frees them after some minutes. */
export type TinkerSession = {
  id: string;
  /** Stops the heartbeats. */
  close(): void;
};

const heartbeatMs = 20_000;

export async function openSession(http: TinkerHttp, signal?: AbortSignal): Promise<TinkerSession> {
  const body = { type: 'create_session', tags: ['heddle'], user_metadata: {}, sdk_version: 'heddle' };
  const sent = { method: 'POST' as const, path: 'create_session', body, resend: 'always' as const, signal };
  const { session_id: id } = readAnswer(http, 'create_session', await http.send(sent), sessionAnswer);
  const timer = setInterval(beat, heartbeatMs).unref();
  return { id, close: () => clearInterval(timer) };

  /** One that fails is followed by the next. */
  async function beat(): Promise<void> {
    if (await knowsSession(http, id, 'never').catch(() => true)) return;
    clearInterval(timer);
  }
}

/** Whether the server still knows a session. One that was restarted may not. */
export async function knowsSession(
  http: TinkerHttp,
  id: string,
  resend: TinkerRequest['resend'],
  signal?: AbortSignal,
): Promise<boolean> {
  const body = { type: 'session_heartbeat', session_id: id };
  try {
    await http.send({ method: 'POST', path: 'session_heartbeat', body, resend, signal });
    return true;
  } catch (error) {
    if (error instanceof TinkerFailure && error.status === 404) return false;
    throw error;
  }
}

/** A base model that a server can train. */
export type SupportedModel = { name: string; contextMax: number | null };

export async function supportedModels(http: TinkerHttp, signal?: AbortSignal): Promise<SupportedModel[]> {
  const answer = await http.send({ method: 'GET', path: 'get_server_capabilities', resend: 'always', signal });
  const { supported_models } = readAnswer(http, 'get_server_capabilities', answer, capabilitiesAnswer);
  return supported_models.flatMap(({ model_name, max_context_length }) =>
    model_name ? [{ name: model_name, contextMax: max_context_length ?? null }] : [],
  );
}
