import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { optional, rowCount, text } from '../wire.ts';
import { group, listedGate, path } from './gate.ts';

export const gateList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Gate List',
  description: 'Lists gates, the newest first: at most 100, or `limit`, after `offset` of them.',
  params: projectParams,
  query: z.object({ suite: optional(text()), limit: optional(rowCount()), offset: optional(rowCount()) }),
  answer: { kind: 'json', schema: z.object({ gates: z.array(listedGate) }).meta({ id: 'GateListRes' }) },
});
