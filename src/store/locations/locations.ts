import { isIPv6 } from 'node:net';
import type { Reader, Response } from 'maxmind';
import type { Location } from '../../domain/location.ts';
import { rangeAround } from './ip-range.ts';

/** Finds the location of addresses; null for unknown addresses. */
export type Locations = { find(ip: string): Location | null };

/** The configured file is missing or is not a location database. */
export class LocationDatabaseError extends Error {}

/** Opens a database in MaxMind's format, in memory; without a file, every address is unknown. */
export async function openLocations(file: string): Promise<Locations> {
  if (file === '') return { find: () => null };
  const reader = await openReader(file);
  return {
    find(ip) {
      if (isIPv6(ip) && reader.metadata.ipVersion === 4) return null;
      const [record, prefixLength] = reader.getWithPrefixLength(ip);
      const country = countryOf(record as CountryRecord | null);
      return country && { ...rangeAround(ip, prefixLength), ...country };
    },
  };
}

async function openReader(file: string): Promise<Reader<Response>> {
  try {
    const { open } = await import('maxmind');
    return await open(file, { cache: { max: 1000 } });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const found = code === 'ENOENT' ? 'there is no such file' : message;
    throw new LocationDatabaseError(
      `The location database ${file} cannot be read: ${found}. HEDDLE_GEO_DATABASE must name a database in the ` +
        'format of MaxMind (.mmdb) that tells countries, or be left out.',
      { cause },
    );
  }
}

/** The two formats of countries in these databases: an object with names, or two strings. */
type CountryRecord = {
  country?: { iso_code?: string; names?: { en?: string } } | string;
  country_code?: string;
  country_name?: string;
  registered_country?: { iso_code?: string; names?: { en?: string } };
};

function countryOf(record: CountryRecord | null): { countryCode: string; countryName: string } | null {
  if (record === null) return null;
  const { country, registered_country: registered } = record;
  if (typeof country === 'string' || record.country_code) {
    const countryCode = record.country_code ?? (country as string);
    return { countryCode, countryName: record.country_name ?? countryCode };
  }
  const found = country?.iso_code ? country : registered;
  if (!found?.iso_code) return null;
  return { countryCode: found.iso_code, countryName: found.names?.en ?? found.iso_code };
}
