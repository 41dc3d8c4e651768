import { z } from 'zod';
import { annotationStateSchema } from '../annotation-queues/item.ts';
import { defineEndpoint } from '../endpoint.ts';
import { trainingKind, trainingStatus } from '../training-jobs/training-job.ts';
import { bool, float, int, text } from '../wire.ts';

export const callUses = defineEndpoint({
  method: 'POST',
  path: '/call/uses',
  group: 'Calls',
  name: 'Call Uses',
  description:
    'Finds where a call is used: versions of datasets with rows that contain its ref, the annotation queues that it is ' +
    'in, and the training jobs that were made from it. At most 1,000 rows, 100 versions and 100 jobs are found, the newest ' +
    'versions and jobs first. `weight` is how much the call counts in a job: its advantage in reinforcement learning, 1 in supervised ' +
    'training. Both it and `split` are null until the job has prepared its data, and for a call that it does not train on.',
  body: z.object({ project_id: z.string(), id: text() }).meta({ id: 'CallUsesReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        datasets: z.array(
          z
            .object({ object_id: z.string(), digest: z.string(), version_index: int(), is_latest: bool(), rows: int() })
            .meta({ id: 'CallUsesDataset' }),
        ),
        queues: z.array(
          z
            .object({ id: z.string(), name: z.string(), annotation_state: annotationStateSchema })
            .meta({ id: 'CallUsesQueue' }),
        ),
        training_jobs: z.array(
          z
            .object({
              ...{ id: z.string(), type: trainingKind, status: trainingStatus, model: z.string() },
              weight: float().nullable(),
              split: z.enum(['train', 'validation']).nullable(),
            })
            .meta({ id: 'CallUsesTrainingJob' }),
        ),
      })
      .meta({ id: 'CallUsesRes' }),
  },
});
