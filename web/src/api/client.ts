import { parseJson, writeJson } from '../format/json.ts';
import type { AnswerOf, EndpointName, RequestOf } from './contract.ts';

/** The server refused a request, or could not be reached (status 0). */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Options = { signal?: AbortSignal; headers?: Record<string, string> };

/**
 * Asks an endpoint of the server: `ask('POST /call/read', { body: { project_id, id } })`. Its types come from the
 * server's contract. @throws RequestError
 */
export async function ask<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  options: Options = {},
): Promise<AnswerOf<Name>> {
  const response = await send(name, request, options);
  return parseJson(await response.text()) as AnswerOf<Name>;
}

/** Asks an endpoint that answers JSON lines, and returns all of them. @throws RequestError */
export async function askLines<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  options: Options = {},
): Promise<AnswerOf<Name>[]> {
  const lines: AnswerOf<Name>[] = [];
  for await (const line of streamLines(name, request, options)) lines.push(line);
  return lines;
}

/** The lines of an answer as they arrive. @throws RequestError */
export async function* streamLines<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  options: Options = {},
): AsyncGenerator<AnswerOf<Name>> {
  const { body } = await send(name, request, options);
  if (body === null) return;
  let rest = '';
  for await (const text of pieces(body)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') yield parseJson(line) as AnswerOf<Name>;
  }
  if (rest !== '') yield parseJson(rest) as AnswerOf<Name>;
}

/** Asks an endpoint that answers bytes. @throws RequestError */
export async function askBlob<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  options: Options = {},
): Promise<Blob> {
  return (await send(name, request, options)).blob();
}

/** The answer itself, for streams of events. @throws RequestError */
export async function send<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  { signal, headers }: Options,
): Promise<Response> {
  const [method, path] = name.split(' ') as [string, string];
  const { params, query, body } = request as Parts;
  return sendTo(addressOf(path, params, query), method, body, { headers, signal });
}

/** Asks the GraphQL API of runs, which the W&B clients use. @throws RequestError */
export async function askGraphql<Data>(query: string, variables: object, { signal }: Options = {}): Promise<Data> {
  const response = await sendTo('/graphql', 'POST', { query, variables }, { signal });
  const { data, errors } = parseJson(await response.text()) as { data: Data; errors?: { message: string }[] };
  const reason = errors?.[0]?.message;
  if (reason !== undefined) throw new RequestError(response.status, reason);
  return data;
}

async function sendTo(
  address: string,
  method: string,
  body: unknown,
  { signal, headers }: { [Name in keyof Options]?: Options[Name] | undefined },
): Promise<Response> {
  const response = await reach(address, {
    method,
    // The server accepts the session cookie only with this header, which other origins cannot send.
    headers: {
      ...headers,
      'x-heddle-page': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : writeJson(body),
    signal: signal ?? null,
  });
  if (!response.ok) throw new RequestError(response.status, await reasonOf(response));
  return response;
}

type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError(0, 'The server cannot be reached. Check that heddle is running.');
  }
}

function addressOf(path: string, params: Parts['params'] = {}, query: Parts['query'] = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== null && each !== undefined) search.append(name, String(each));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}

async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

type Refusal = {
  reason?: unknown;
  detail?: string | { loc?: unknown[]; msg?: unknown }[];
  error?: { message?: unknown } | null;
};

/** Endpoints have three shapes of errors. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const { reason, detail, error } = parseJson(text) as Refusal;
    if (typeof reason === 'string') return reason;
    if (typeof error?.message === 'string') return error.message;
    if (typeof detail === 'string') return detail;
    if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc?.slice(1).join('.')}: ${msg}`).join('; ');
  } catch {
    // not JSON, such as an answer of a proxy
  }
  return `The server answered ${response.status} ${response.statusText}`.trim();
}
