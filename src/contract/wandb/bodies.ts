import { z } from 'zod';
import type { BodyShape } from '../endpoint.ts';

/** The clients' own operations have less than a tenth of this. */
const queryCharactersMax = 100_000;
const queryTooLong = `The GraphQL operation has more than ${queryCharactersMax} characters. Send several smaller ones.`;

const operationSchema = z.object({
  query: z.string().max(queryCharactersMax, queryTooLong),
  variables: z.record(z.string(), z.unknown()).nullish(),
  /** The wandb package sends an empty string for none. */
  operationName: z.string().nullish(),
});
export type GraphqlOperation = z.output<typeof operationSchema>;

const lines = z.object({ offset: z.number().int().nonnegative().default(0), content: z.array(z.string()).default([]) });

/** A client's report about a run, sent about every 15 seconds; an empty one is a heartbeat. */
const reportSchema = z.object({
  files: z
    .object({
      'wandb-history.jsonl': lines.nullish(),
      'wandb-events.jsonl': lines.nullish(),
      'wandb-summary.json': lines.nullish(),
      'output.log': lines.nullish(),
    })
    .nullish(),
  preempting: z.boolean().nullish(),
  complete: z.boolean().nullish(),
  exitcode: z.number().nullish(),
});
export type SentReport = z.output<typeof reportSchema>;
export type SentLines = z.output<typeof lines>;

/** The JSON bodies of W&B clients, whose paths are not part of the contract. */
export const wandbBodies = {
  operation: { method: 'POST', path: '/graphql', body: operationSchema },
  report: { method: 'POST', path: '/files/{entity}/{project}/{run}/file_stream', body: reportSchema },
} as const satisfies Record<string, BodyShape>;
