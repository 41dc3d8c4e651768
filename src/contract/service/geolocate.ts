import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, optional } from '../wire.ts';

/** The network of an address, which is in one country, as numbers and as strings. */
const locationSchema = z
  .object({
    file_index: int(),
    range_start_int: int(),
    range_end_int: int(),
    range_start_ip: z.string(),
    range_end_ip: z.string(),
    country_code: z.string(),
    country_name: z.string(),
  })
  .meta({ id: 'IpLocation' });

export const geolocate = defineEndpoint({
  method: 'GET',
  path: '/geolocate',
  group: 'Service',
  name: 'Get Caller Location',
  description:
    'The country of an address, by default of the address the request came from. `location` is null where the ' +
    'address is not known, and always without a database (HEDDLE_GEO_DATABASE). No address is shut out.',
  query: z.object({ ip: optional(z.string()) }),
  answer: {
    kind: 'json',
    schema: z
      .object({ ip: z.string(), location: locationSchema.nullable(), allowed: bool().default(false) })
      .meta({ id: 'GeolocateRes' }),
  },
});
