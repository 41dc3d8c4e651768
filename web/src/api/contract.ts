import type { z } from 'zod';
import type { ServedEndpoint } from '../../../src/contract/endpoints.ts';

/** The name of an endpoint of the server, such as `POST /call/read`. */
export type EndpointName = ServedEndpoint extends infer Each
  ? Each extends ServedEndpoint
    ? NameOf<Each>
    : never
  : never;

type NameOf<Each extends { method: string; path: string }> = `${Each['method']} ${Each['path']}`;

/** An endpoint by its name. */
export type EndpointOf<Name extends EndpointName> = ServedEndpoint extends infer Each
  ? Each extends ServedEndpoint
    ? Name extends NameOf<Each>
      ? Each
      : never
    : never
  : never;

type Written<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** What a request to an endpoint consists of, as JSON. */
export type RequestOf<Name extends EndpointName> = Part<'params', EndpointOf<Name>['params']> &
  Part<'query', EndpointOf<Name>['query']> &
  Part<'body', EndpointOf<Name>['body']>;

type Part<Key extends string, Schema> =
  NonNullable<Schema> extends infer Given
    ? z.ZodType extends Given
      ? { [name in Key]?: undefined } // the endpoint has no such part
      : { [name in Key]: Written<Given> }
    : never;

/** What an endpoint answers, as JSON; of a stream, one line. */
export type AnswerOf<Name extends EndpointName> = EndpointOf<Name>['answer'] extends { schema: infer Schema }
  ? Written<Schema>
  : never;
