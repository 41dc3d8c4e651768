import { z } from 'zod';

/** What clients see of one endpoint. Its handler is in `api/`, at the same path and under the same name. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answered extends AnswerShape = AnswerShape,
  Method extends HttpMethod = HttpMethod,
  Path extends string = string,
> = {
  method: Method;
  /** With parameters in braces: `/objs/{object_id}/aliases`. */
  path: Path;
  /** Other spellings that older clients use. */
  aliases?: string[];
  group: string;
  /** The operation's name, as the documentation shows it. */
  name: string;
  description: string;
  /**
   * Whether requests contain data to store: their bodies may be large, and are rejected while too many bytes are in
   * flight.
   */
  takesData?: boolean;
  /**
   * How many large bodies are parsed and handled at the same time, if that is limited; the others wait as bytes. For
   * bodies whose values take many times the memory of their bytes.
   */
  largeBodiesAtOnce?: number;
  /** Whether its body may be as large as those of training, which contain every token of a step. */
  takesTrajectories?: boolean;
  /** Bodies must be declared as JSON and be strict JSON: elsewhere any media type is read, and `NaN` too. */
  strictJson?: boolean;
  /** The handler also gets the bytes of the body, as the body of the raw request. */
  keepsBytes?: boolean;
  /**
   * `openai`: errors as vLLM sends them and the OpenAI SDKs read them, `{"error": {…}}`, with 400 for a body of the
   * wrong shape. `openaiPlatform`: the same with the types and codes of OpenAI's own API. `vllm`: like `openai`, but
   * 422 with FastAPI's `detail` beside `error` for a body of the wrong shape. `detail`: FastAPI's `detail` beside
   * `error` for every error. `tensorZero`: `{"error": "…"}`, with 400 for a body of the wrong shape.
   */
  errors?: 'openai' | 'openaiPlatform' | 'vllm' | 'detail' | 'tensorZero';
  /** Open endpoints require no key. */
  open?: boolean;
  params?: Params;
  query?: Query;
  /** The JSON body. For `multipart` uploads and bodies taken as `bytes`, its description only. */
  body?: Body;
  multipart?: boolean;
  /** Whether the file of a `multipart` upload is stored as it arrives, so that it may be large. */
  streamsFile?: boolean;
  /** The media types of a body that its handler decodes itself. */
  bytes?: readonly string[];
  answer: Answered;
};

/** The parts of an endpoint that are needed to parse its JSON body. */
export type BodyShape = Pick<Endpoint, 'method' | 'path' | 'body' | 'strictJson' | 'bytes'>;

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type AnswerShape =
  | { kind: 'json'; schema: z.ZodType }
  /** One JSON value, with headers that the handler chooses. */
  | { kind: 'jsonWithHeaders'; schema: z.ZodType }
  /** One JSON value per line. */
  | { kind: 'lines'; schema: z.ZodType; mediaType: 'application/jsonl' | 'application/x-ndjson' }
  /** One JSON value or a stream of events, as the request chooses. */
  | { kind: 'jsonOrEvents'; schema: z.ZodType; event: z.ZodType }
  | { kind: 'bytes' }
  /** Bytes of which a client may ask for a part. */
  | { kind: 'download' }
  /** In the encoding of the request: one of these media types. */
  | { kind: 'encoded'; content: Record<string, z.ZodType> }
  /** To another address, which the handler returns. */
  | { kind: 'redirect' }
  | { kind: 'text' }
  | { kind: 'html' };

/** The types of an endpoint include its method and path: the web page finds the types of a request by them. */
export function defineEndpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answered extends AnswerShape,
  const Method extends HttpMethod,
  const Path extends string,
>(
  endpoint: Endpoint<Params, Query, Body, Answered, Method, Path>,
): Endpoint<Params, Query, Body, Answered, Method, Path> {
  return endpoint;
}

/** The schema of a body or a response that is not JSON. */
export function binary() {
  return z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' });
}
