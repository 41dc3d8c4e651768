import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { trainingKind, trainingStatus } from '../training-jobs/training-job.ts';
import { anyJson, bool, float, int, optional, text, timestamp } from '../wire.ts';

export const group = 'Lineage';

const checkpoint = z
  .object({
    ...{ id: z.string(), step: int(), model: z.string(), project: z.string(), base_model: z.string() },
    created_at: timestamp(),
  })
  .meta({ id: 'LineageCheckpoint' });

const score = z
  .object({
    id: z.string(),
    feedback_type: z.string(),
    payload: anyJson(),
    created_at: z.string(),
    user: z.string().nullable(),
    creator: z.string().nullable(),
    judge_ref: z.string().nullable(),
    judge_call_ref: z.string().nullable(),
    annotation_ref: z.string().nullable(),
  })
  .meta({ id: 'LineageScore', description: 'Feedback on a call. `judge_ref` is null for feedback of a person.' });

const call = z
  .object({
    ...{ id: z.string(), op_name: z.string(), display_name: z.string(), trace_id: z.string() },
    started_at: timestamp(),
    adapter_id: z.string().nullable(),
  })
  .meta({ id: 'LineageCall', description: '`adapter_id` is the checkpoint or adapter that answered, if one did.' });

const split = z.enum(['train', 'validation']).nullable();

export const lineageQuery = defineEndpoint({
  method: 'POST',
  path: '/v2/{entity}/{project}/lineage/query',
  group,
  name: 'Lineage Query',
  description:
    'Where an answer comes from, one step back: the checkpoint that answered, the job that made it, and a page of the calls that the job ' +
    'was made from, with their weights, and the scores of each with the judges and people that gave them. `before` is the checkpoint that ' +
    'the job continued from: ask for its id as `checkpoint_id` to go on. `rows` are ordered by call id; pass `next` as `after` to get ' +
    'more. `uses` goes the other way: the newest ten jobs that were made from the call, and how many answers in this project their ' +
    'checkpoints have given (counted up to 1,000), with the newest three.',
  params: projectParams,
  body: z
    .object({
      call_id: optional(text()),
      checkpoint_id: optional(text()),
      limit: int().pipe(z.number().min(0).max(100)).default(20),
      after: optional(text()),
    })
    .refine(({ call_id, checkpoint_id }) => (call_id === null) !== (checkpoint_id === null), {
      error: 'Value error, give either call_id or checkpoint_id',
      params: { type: 'value_error' },
    })
    .meta({ id: 'LineageQueryReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        call: z
          .object({
            id: z.string(),
            answer: z
              .object({
                model: z.string(),
                base_model_id: z.string(),
                adapter_id: z.string().nullable(),
                policy: z.string().nullable(),
              })
              .meta({ id: 'LineageAnswer' })
              .nullable(),
            scores: z.array(score),
          })
          .meta({ id: 'LineageOfCall' })
          .nullable(),
        checkpoint: checkpoint.nullable(),
        job: z
          .object({
            ...{ id: z.string(), type: trainingKind, status: trainingStatus, created_by: z.string().nullable() },
            ...{ created_at: timestamp(), started_at: optional(timestamp()), ended_at: optional(timestamp()) },
            calls: z.object({ total: int(), train: int(), validation: int() }).meta({ id: 'LineageJobCalls' }),
          })
          .meta({ id: 'LineageJob' })
          .nullable(),
        before: checkpoint.nullable(),
        rows: z.array(
          z
            .object({
              ...{ call_id: z.string(), weight: float().nullable(), split, call: call.nullable() },
              scores: z.array(score),
            })
            .meta({ id: 'LineageRow' }),
        ),
        next: z.string().nullable(),
        uses: z.array(
          z
            .object({
              job: z
                .object({ id: z.string(), type: trainingKind, status: trainingStatus, model: z.string() })
                .meta({ id: 'LineageUseJob' }),
              weight: float().nullable(),
              split,
              checkpoint: z.object({ id: z.string(), step: int() }).meta({ id: 'LineageUseCheckpoint' }).nullable(),
              answers: z
                .object({ count: int(), has_more: bool(), newest: z.array(call) })
                .meta({ id: 'LineageUseAnswers' }),
            })
            .meta({ id: 'LineageUse' }),
        ),
      })
      .meta({ id: 'LineageQueryRes' }),
  },
});
