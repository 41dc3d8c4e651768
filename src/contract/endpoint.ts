import type { z } from 'zod';

/** What clients see of one endpoint. Its handler stands in `api/` under the same name. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces: `/objs/{object_id}/aliases`. */
  path: string;
  /** Other spellings that older clients use. */
  aliases?: string[];
  group: string;
  /** The operation's name, as the documentation shows it. */
  name: string;
  description: string;
  /** Open endpoints need no key. */
  open?: boolean;
  params?: Params;
  query?: Query;
  /** The JSON body. For `multipart` uploads, its description only. */
  body?: Body;
  multipart?: boolean;
  answer: Answer;
};

export type Answer =
  | { kind: 'json'; schema: z.ZodType }
  /** One JSON value a line. */
  | { kind: 'lines'; schema: z.ZodType; mediaType: 'application/jsonl' | 'application/x-ndjson' }
  | { kind: 'bytes' }
  | { kind: 'html' };

export function defineEndpoint<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  endpoint: Endpoint<Params, Query, Body>,
): Endpoint<Params, Query, Body> {
  return endpoint;
}
