import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { optional, text } from '../wire.ts';
import { group, path, predictionSchema } from './prediction.ts';

export const predictionList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Prediction List',
  description:
    'Streams the predictions of a run, the oldest first. Without a run, those of the project, except those of runs made by an SDK.',
  params: projectParams,
  query: pageQuery.extend({ evaluation_run_id: optional(text()) }),
  answer: { kind: 'lines', schema: predictionSchema, mediaType: 'application/jsonl' },
});
