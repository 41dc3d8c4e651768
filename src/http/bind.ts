import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { AnswerShape, Endpoint } from '../contract/endpoint.ts';
import { validate } from '../contract/validate.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Download } from '../util/download.ts';
import { ValidationError } from '../util/failures.ts';
import { FairGate } from '../util/fair-gate.ts';
import { joined } from '../util/joined.ts';
import type { JsonText } from '../util/json/json-text.ts';
import { withinScope } from '../util/request-scope.ts';
import { authenticate } from './authenticate.ts';
import type { Admission, Claim } from './bodies/admission.ts';
import type { BodyPace } from './bodies/body-pace.ts';
import { type BodyParser, isLarge } from './bodies/body-parser.ts';
import { decompress } from './bodies/decompress.ts';
import { type Arriving, readBlocks } from './bodies/read-body.ts';
import { type ByteAnswer, type EncodedAnswer, sendBytes, sendEncoded, sendJson, sendLines } from './send.ts';
import { sendDownload } from './send-download.ts';
import { EventStream, type JsonAnswer, sendEvents, sendJsonAnswer } from './send-events.ts';

/** What a handler is given: the parsed request and who sent it. */
export type Input<E extends Endpoint> = {
  params: z.output<NonNullable<E['params']>>;
  query: z.output<NonNullable<E['query']>>;
  body: z.output<NonNullable<E['body']>>;
  caller: Caller;
  /** Ids that stay the same when a client repeats one logical request. */
  retryId: string | null;
  /** Aborts when the client disconnects before it has its response. */
  whenHungUp(): AbortSignal;
  /** The raw request, for bodies that are not JSON: uploads, and bodies read as bytes with their headers. */
  raw: FastifyRequest;
};

export type Handler<E extends Endpoint> = (input: Input<E>) => Promise<AnswerOf<E['answer']>>;

/** What a handler returns for each kind of response. */
type AnswerOf<Kind extends AnswerShape> = Kind extends { kind: 'json'; schema: infer Schema extends z.ZodType }
  ? Json<z.input<Schema>>
  : Kind extends { kind: 'jsonWithHeaders'; schema: infer Schema extends z.ZodType }
    ? JsonAnswer<Json<z.input<Schema>>>
    : Kind extends { kind: 'jsonOrEvents'; schema: infer Schema extends z.ZodType }
      ? EventStream | JsonAnswer<Json<z.input<Schema>>>
      : Kind extends { kind: 'lines' }
        ? AsyncIterable<string>
        : Kind extends { kind: 'bytes' }
          ? ByteAnswer
          : Kind extends { kind: 'download' }
            ? Download
            : Kind extends { kind: 'encoded' }
              ? EncodedAnswer
              : string;

/**
 * A value of the endpoint's schema. Lists, objects and numbers in it may be JSON text, which is written to the response
 * unchanged.
 */
type Json<Value> = unknown extends Value
  ? unknown
  : Value extends readonly (infer Element)[]
    ? Json<Element>[] | JsonText
    : Value extends object
      ? { [Key in keyof Value]: Json<Value[Key]> } | JsonText
      : Value extends number
        ? Value | JsonText
        : Value;

/** An endpoint with its handler. */
export type Route = { endpoint: Endpoint; handler: Handler<Endpoint> };

/** Joins the endpoints of a group with the handlers of the same names. */
export function routesOf<Group extends Record<string, Endpoint>>(
  endpoints: Group,
  handlers: { [Name in keyof Group]: Handler<Group[Name]> },
): Route[] {
  return Object.keys(endpoints).map((name) => {
    const handler = handlers[name]! as unknown as Handler<Endpoint>; // its input is made by its own schemas
    return { endpoint: endpoints[name]!, handler };
  });
}

/** What is applied between the network and the handlers. */
export type Door = {
  config: Config;
  identity: Identity;
  bodies: BodyParser;
  pace: BodyPace;
  /** Bounds the bytes in flight of requests that write data. */
  admitData: Admission;
  /** The same for all other requests, so that writes in flight do not keep readers out. */
  admitQuery: Admission;
};

/** Serves an endpoint at its path and at the older spellings of it. */
export function bind(app: FastifyInstance, { endpoint, handler }: Route, door: Door): void {
  const { identity, bodies, config } = door;
  const { bytesMax: bodyLimit, setting } = bodyLimitOf(endpoint, config);
  const largeGate = endpoint.largeBodiesAtOnce ? new FairGate(endpoint.largeBodiesAtOnce) : null;
  const admit = endpoint.takesData ? door.admitData : door.admitQuery;
  for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
    app.route({
      method: endpoint.method,
      url: path.replaceAll('{', ':').replaceAll('}', ''),
      config: { errors: endpoint.errors },
      // Before the body is read: a client without a key must not be able to send us 32 MiB.
      onRequest: async (request) => {
        if (!endpoint.open) request.caller = await authenticate(request, identity);
      },
      handler: async (request, reply) => {
        const claim = admit(endpoint.open ? request.ip : request.caller.userId, reply);
        const bytesMax = endpoint.multipart ? bodyLimit + envelopeMax : bodyLimit;
        // A file that is stored as it arrives is not held in memory.
        const onArrival = endpoint.streamsFile ? () => {} : claim.holds;
        request.arriving = { bytesMax, setting, pace: door.pace, onArrival };
        const params = endpoint.params ? validate(endpoint.params, request.params, 'path') : undefined;
        const query = endpoint.query ? validate(endpoint.query, request.query, 'query') : undefined;
        const blocks = hasOwnBody(endpoint) ? await readPlain(request, endpoint, claim) : null;
        const group = request.caller?.userId ?? '';
        const answer = async () => {
          const input = {
            params,
            query,
            body: blocks ? await bodies.parse(endpoint, blocks.splice(0)) : undefined,
            caller: request.caller,
            retryId: header(request, 'x-weave-retry-id'),
            whenHungUp: () => hangUpSignal(reply),
            raw: request,
          };
          if (!endpoint.takesData) claim.release(); // parsed parts are counted where they are used
          return handler(input as Input<Endpoint>);
        };
        const scope = { signal: endpoint.takesData ? null : hangUpSignal(reply), group };
        return withinScope(scope, async () => {
          // Sending is outside the turn: others must not wait for a client that reads slowly.
          const result = await (largeGate && blocks && isLarge(blocks) ? largeGate.run([group], answer) : answer());
          return send(reply, endpoint, result);
        });
      },
    });
  }
}

/** The maximum size of a body, and the setting that defines it. */
function bodyLimitOf(endpoint: Endpoint, config: Config): { bytesMax: number; setting: string } {
  const { trainingBodyMaxBytes, bodyMaxBytes, queryMaxBytes, uploadMaxBytes } = config;
  if (endpoint.streamsFile) return { bytesMax: uploadMaxBytes, setting: 'HEDDLE_UPLOAD_MAX_BYTES' };
  if (endpoint.takesTrajectories) return { bytesMax: trainingBodyMaxBytes, setting: 'HEDDLE_TRAINING_BODY_MAX_BYTES' };
  if (endpoint.takesData || bodyMaxBytes < queryMaxBytes) {
    return { bytesMax: bodyMaxBytes, setting: 'HEDDLE_BODY_MAX_BYTES' };
  }
  return { bytesMax: queryMaxBytes, setting: 'HEDDLE_QUERY_MAX_BYTES' };
}

/** The form fields an upload may have besides its file. */
const envelopeMax = 2 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** How the body may arrive, for handlers that read it themselves. */
    arriving: Arriving;
  }
}

/** Handlers of uploads read the body themselves. */
function hasOwnBody(endpoint: Endpoint): boolean {
  return endpoint.body !== undefined && !endpoint.multipart;
}

/** The parser takes ownership of its input, so a body that is kept is copied first. */
async function readPlain(request: FastifyRequest, endpoint: Endpoint, claim: Claim): Promise<Buffer[]> {
  const blocks = await plainBody(request, endpoint, claim);
  if (!endpoint.keepsBytes) return blocks;
  const bytes = joined(blocks);
  request.body = bytes;
  return [Buffer.from(bytes)];
}

/** The decompressed bytes of a body, in blocks. */
async function plainBody(request: FastifyRequest, endpoint: Endpoint, claim: Claim): Promise<Buffer[]> {
  const blocks = await readBlocks(request.raw, request.arriving);
  const isEmpty = blocks[0]!.length === 0;
  if (endpoint.strictJson && !isEmpty) checkMediaType(request);
  const encoding = request.headers['content-encoding'];
  if (isEmpty || encoding === undefined) return blocks;
  const bytes = joined(blocks);
  const { bytesMax } = request.arriving;
  return [await decompress(bytes, encoding, { bytesMax, onGrowth: (grown) => claim.holds(bytes.length + grown) })];
}

function send(reply: FastifyReply, endpoint: Endpoint, result: unknown): Promise<FastifyReply> | FastifyReply {
  switch (endpoint.answer.kind) {
    case 'json':
      return sendJson(reply, 200, result);
    case 'jsonWithHeaders':
      return sendJsonAnswer(reply, result as JsonAnswer);
    case 'lines':
      return sendLines(reply, endpoint.answer.mediaType, result as AsyncIterable<string>);
    case 'jsonOrEvents':
      return result instanceof EventStream ? sendEvents(reply, result) : sendJsonAnswer(reply, result as JsonAnswer);
    case 'bytes':
      return sendBytes(reply, result as ByteAnswer);
    case 'download':
      return sendDownload(reply, result as Download);
    case 'encoded':
      return sendEncoded(reply, result as EncodedAnswer);
    case 'redirect':
      return reply.redirect(result as string, 302);
    case 'text':
      return reply.type('text/plain; charset=utf-8').send(result);
    case 'html':
      return reply.type('text/html; charset=utf-8').send(result);
    default:
      return endpoint.answer satisfies never;
  }
}

/** @throws ValidationError about the whole body: it is not a JSON object. */
function checkMediaType(request: FastifyRequest): void {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new ValidationError([noObject]);
}

const noObject = {
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

function hangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  if (reply.raw.destroyed) controller.abort(); // the client disconnected while sending its body
  return controller.signal;
}

function header(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
