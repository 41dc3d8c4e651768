import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { bool, int, optional, optionalJsonObject, repeated, text, timestamp } from '../wire.ts';

const path = '/v2/{entity}/{project}/evaluation_runs';
const group = 'Evaluation runs';
const runParams = projectParams.extend({ evaluation_run_id: text() });

const runSchema = z
  .object({
    evaluation_run_id: z.string(),
    evaluation: z.string(),
    model: z.string(),
    status: optional(z.string()),
    started_at: optional(timestamp()),
    finished_at: optional(timestamp()),
    summary: optionalJsonObject(),
    source_evaluation_run_id: optional(z.string()),
  })
  .meta({ id: 'EvaluationRunReadRes' });

export const evaluationRunCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path,
  group,
  name: 'Evaluation Run Create',
  description: 'Starts a run of an evaluation: a call of `Evaluation.evaluate` that is open until the run is finished.',
  params: projectParams,
  body: z
    .object({ evaluation: z.string(), model: z.string(), source_evaluation_run_id: optional(z.string()) })
    .meta({ id: 'EvaluationRunCreateBody' }),
  answer: {
    kind: 'json',
    schema: z.object({ evaluation_run_id: z.string() }).meta({ id: 'EvaluationRunCreateRes' }),
  },
});

export const evaluationRunRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{evaluation_run_id}`,
  group,
  name: 'Evaluation Run Read',
  description:
    'Reads one run: its status is `running`, `completed` or `failed`. Runs made by the SDKs can be read as well.',
  params: runParams,
  answer: { kind: 'json', schema: runSchema },
});

export const evaluationRunList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Evaluation Run List',
  description:
    'Streams the runs made by this interface, the oldest first. Each filter is a list of which one must match exactly.',
  params: projectParams,
  query: pageQuery.extend({
    evaluations: optional(repeated()),
    models: optional(repeated()),
    evaluation_run_ids: optional(repeated()),
  }),
  answer: { kind: 'lines', schema: runSchema, mediaType: 'application/jsonl' },
});

export const evaluationRunFinish = defineEndpoint({
  method: 'POST',
  path: `${path}/{evaluation_run_id}/finish`,
  group,
  name: 'Evaluation Run Finish',
  description:
    'Ends a run: its output is the mean of each numeric score and of numeric outputs, and a call of `Evaluation.summarize` records it.',
  params: runParams,
  body: z.object({ summary: optionalJsonObject() }).meta({ id: 'EvaluationRunFinishBody' }),
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'EvaluationRunFinishRes' }) },
});

export const evaluationRunDelete = defineEndpoint({
  method: 'DELETE',
  path,
  group,
  name: 'Evaluation Run Delete',
  description: 'Deletes runs with all their predictions and scores.',
  params: projectParams,
  query: z.object({ evaluation_run_ids: repeated() }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'EvaluationRunDeleteRes' }) },
});
