import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const projectsInfo = defineEndpoint({
  method: 'POST',
  path: '/service/projects_info',
  group: 'Service',
  name: 'Projects Info',
  description: 'The internal ids of projects, with which clients compute digests. Unknown projects are left out.',
  body: z.object({ project_ids: z.array(z.string()) }).meta({ id: 'ProjectsInfoReq' }),
  answer: {
    kind: 'json',
    schema: z.array(
      z.object({ external_project_id: z.string(), internal_project_id: z.string() }).meta({ id: 'ProjectsInfoRes' }),
    ),
  },
});
