import { z } from 'zod';

export const startedSchema = z.object({ id: z.string() }).meta({ id: 'TrainFromCallsRes' });
