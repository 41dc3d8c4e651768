import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { optional, repeated } from '../wire.ts';
import { group, path, runSchema } from './evaluation-run.ts';

export const evaluationRunList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Evaluation Run List',
  description:
    'Streams runs, the oldest first. Each filter is a list of which one must match exactly. Runs made by an SDK are found by a ' +
    'filter; without one, the list has only those made by this interface or run by the server.',
  params: projectParams,
  query: pageQuery.extend({
    evaluations: optional(repeated()),
    models: optional(repeated()),
    evaluation_run_ids: optional(repeated()),
  }),
  answer: { kind: 'lines', schema: runSchema, mediaType: 'application/jsonl' },
});
