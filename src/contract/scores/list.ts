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
  description: 'Streams the scores of a run, or of the project, the oldest first.',
  params: projectParams,
  query: pageQuery.extend({ evaluation_run_id: optional(text()) }),
  answer: { kind: 'lines', schema: scoreSchema, mediaType: 'application/jsonl' },
});
