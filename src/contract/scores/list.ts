import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { optional, text } from '../wire.ts';
import { group, path, scoreSchema } from './score.ts';

export const scoreList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Score List',
  description:
    'Streams the scores of a run, the oldest first. Without a run, those of the project, except those of runs made by an SDK.',
  params: projectParams,
  query: pageQuery.extend({ evaluation_run_id: optional(text()) }),
  answer: { kind: 'lines', schema: scoreSchema, mediaType: 'application/jsonl' },
});
