import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';
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
        settings: z.array(settingSchema),
      })
      .meta({ id: 'DoctorRes' }),
  },
});
