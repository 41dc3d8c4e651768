import { z } from 'zod';
import { annotationStateSchema } from '../annotation-queues/item.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, text } from '../wire.ts';

export const callUses = defineEndpoint({
  method: 'POST',
  path: '/call/uses',
  group: 'Calls',
  name: 'Call Uses',
  description:
    'Finds where a call is used: versions of datasets with rows that contain its ref, and the annotation queues that it ' +
    'is in. At most 1,000 rows and 100 versions are found, the newest versions first.',
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
      })
      .meta({ id: 'CallUsesRes' }),
  },
});
