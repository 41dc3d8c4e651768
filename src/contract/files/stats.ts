import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int } from '../wire.ts';

export const filesStats = defineEndpoint({
  method: 'POST',
  path: '/files/query_stats',
  aliases: ['/files/stats'],
  group: 'Files',
  name: 'Files Stats',
  description: 'Sums the bytes of the files of a project, each content counted once.',
  body: z.object({ project_id: z.string() }).meta({ id: 'FilesStatsReq' }),
  answer: { kind: 'json', schema: z.object({ total_size_bytes: int() }).meta({ id: 'FilesStatsRes' }) },
});
