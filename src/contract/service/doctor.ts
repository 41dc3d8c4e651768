import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, timestamp } from '../wire.ts';
import { storeStateSchema } from './store-state.ts';

const findingSchema = z
  .object({
    what: z.string().meta({ description: 'The component, such as `ClickHouse`.' }),
    state: z.enum(['good', 'warning', 'wrong']),
    found: z.string(),
    advice: optional(z.string()).meta({ description: 'What to do about a problem.' }),
  })
  .meta({ id: 'DoctorFinding' });

const settingSchema = z
  .object({
    name: z.string(),
    value: z.string().meta({ description: 'Secret values are never shown.' }),
    source: z.string().meta({ description: 'Where the value is set; `default` if nowhere.' }),
  })
  .meta({ id: 'DoctorSetting' });

const vllmServerSchema = z
  .object({
    address: z.string(),
    circuit: z.enum(['closed', 'halfOpen', 'open']).meta({
      description:
        '`open`: the server gets no requests. `halfOpen`: it responds again, and gets one request at a time where others can take the rest.',
    }),
    reason: optional(z.string()).meta({ description: 'Why the circuit is not closed.' }),
    since: timestamp().meta({ description: 'When the circuit changed last.' }),
    running: optional(int()).meta({
      description: 'Requests of all clients at the last check; null while the circuit is open.',
    }),
    waiting: optional(int()).meta({ description: 'The same of requests that wait for their turn.' }),
    in_flight: int().meta({ description: 'Requests of this process now.' }),
    models: z.array(z.string()),
    adapters: z.array(z.string()).meta({ description: 'The adapters that this process has loaded there.' }),
    version: optional(z.string()),
    loads_adapters: optional(z.boolean()).meta({
      description: 'Whether adapters can be loaded there; null until the server was asked.',
    }),
  })
  .meta({ id: 'VllmServer' });

export const doctor = defineEndpoint({
  method: 'GET',
  path: '/service/doctor',
  group: 'Service',
  name: 'Doctor',
  description:
    'Checks every component of the server, as `heddle doctor` does, and shows its configuration. Only the owner of the server ' +
    'can see this. It reads stored data for up to 3 seconds. Checks that take longer than 6 seconds are reported as not done.',
  answer: {
    kind: 'json',
    schema: z
      .object({
        findings: z.array(findingSchema),
        stores: z.array(storeStateSchema),
        vllm_servers: z.array(vllmServerSchema).meta({ description: 'Those of `HEDDLE_VLLM_URL`.' }),
        settings: z.array(settingSchema),
      })
      .meta({ id: 'DoctorRes' }),
  },
});
