import { z } from 'zod';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { int, optional, repeated, rowCount, text, timestamp } from '../wire.ts';

/** The kinds of versioned objects with their own paths, `/v2/{entity}/{project}/{kind}`. */
export type ResourceKind = 'ops' | 'datasets' | 'scorers' | 'models' | 'evaluations';

type Fields = Record<string, z.ZodType>;

/**
 * The four endpoints of a kind. `body` has the fields of a new version, `created` what creating it returns besides the
 * digest, `read` what a version contains besides its name and number.
 */
export function resource<
  const Kind extends ResourceKind,
  Body extends Fields,
  Created extends Fields,
  Read extends Fields,
>(kind: Kind, { noun, body, created, read }: { noun: string; body: Body; created: Created; read: Read }) {
  const path = `/v2/{entity}/{project}/${kind}` as const;
  const group = `${noun}s`;
  const label = noun.toLowerCase();
  const record = z.object({ ...versionFields, ...read }).meta({ id: `${noun}ReadRes` });
  return {
    create: defineEndpoint({
      method: 'POST',
      takesData: true,
      path,
      group,
      name: `${noun} Create`,
      description:
        `Publishes a version of a ${label}. Its \`object_id\` is made from \`name\`: lower case, with \`_\` for spaces and ` +
        'slashes. The same content again makes no new version.',
      params: projectParams,
      body: z.object(body).meta({ id: `${noun}CreateBody` }),
      answer: {
        kind: 'json',
        schema: z
          .object({ digest: z.string(), object_id: z.string(), version_index: int(), ...created })
          .meta({ id: `${noun}CreateRes` }),
      },
    }),
    list: defineEndpoint({
      method: 'GET',
      path,
      group,
      name: `${noun} List`,
      description: `Streams every version of every ${label}, the oldest first.`,
      params: projectParams,
      query: pageQuery,
      answer: { kind: 'lines', schema: record, mediaType: 'application/jsonl' },
    }),
    read: defineEndpoint({
      method: 'GET',
      path: `${path}/{object_id}/versions/{digest}`,
      group,
      name: `${noun} Read`,
      description:
        `Reads one version of a ${label}. \`digest\` is a digest, \`latest\`, \`v\` and an index, or an alias. ` +
        'A deleted version is answered with 404 and `deleted_at`.',
      params: projectParams.extend({ object_id: text(), digest: text() }),
      query: z.object({ eager: optional(z.string()) }),
      answer: { kind: 'json', schema: record },
    }),
    delete: defineEndpoint({
      method: 'DELETE',
      path: `${path}/{object_id}`,
      group,
      name: `${noun} Delete`,
      description:
        `Deletes the versions of a ${label} that \`digests\` names, or all of them without it. Where one of them is ` +
        'unknown, nothing is deleted.',
      params: projectParams.extend({ object_id: text() }),
      query: z.object({ digests: optional(repeated()) }),
      answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: `${noun}DeleteRes` }) },
    }),
  } satisfies Record<string, Endpoint>;
}

const versionFields = { object_id: z.string(), digest: z.string(), version_index: int(), created_at: timestamp() };

/** Common settings of the endpoints of all kinds. */
export type ResourceEndpoints = ReturnType<typeof resource<ResourceKind, Fields, Fields, Fields>>;

/** How many lines a list returns, and how many it skips before them. */
export const pageQuery = z.object({ limit: optional(rowCount()), offset: optional(rowCount()) });

/** The name and description of all kinds except ops. */
export const described = { name: z.string(), description: optional(z.string()) };
