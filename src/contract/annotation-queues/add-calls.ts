import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, text } from '../wire.ts';
import { queueParams } from './queue.ts';

export const annotationQueueAddCalls = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues/{queue_id}/items',
  group: 'Annotation queues',
  name: 'Annotation Queue Add Calls',
  description:
    'Puts calls into a queue, as they are now. Calls that are in it already are counted as duplicates, unknown ones ' +
    'are passed over. `display_fields` are paths that annotators are shown, such as `inputs.prompt`.',
  params: queueParams,
  body: z
    .object({ project_id: z.string(), call_ids: z.array(text()), display_fields: z.array(text()) })
    .meta({ id: 'AnnotationQueueAddCallsBody' }),
  answer: {
    kind: 'json',
    schema: z.object({ added_count: int(), duplicates: int() }).meta({ id: 'AnnotationQueueAddCallsRes' }),
  },
});
