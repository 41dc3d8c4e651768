import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LocationDatabaseError, openLocations } from './locations.ts';
import { writeLocationDatabase } from './testing/write-database.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-locations-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string) => join(directory, name);
const country = (code: string, name: string) => ({ iso_code: code, names: { en: name } });

test('the country of an address, and the network around it', async () => {
  writeLocationDatabase(file('both.mmdb'), {
    '203.0.113.0/24': { country: country('NL', 'Netherlands') },
    '198.51.100.128/25': { registered_country: country('NZ', 'New Zealand') },
    '192.0.2.0/25': { country: 'FR', country_name: 'France' },
    '192.0.2.128/25': { continent: { code: 'EU' } },
    '2001:db8::/32': { country: country('JP', 'Japan') },
  });
  const { find } = await openLocations(file('both.mmdb'));
  expect(find('203.0.113.77')).toEqual({
    start: { number: 3405803776n, text: '203.0.113.0' },
    end: { number: 3405804031n, text: '203.0.113.255' },
    countryCode: 'NL',
    countryName: 'Netherlands',
  });
  expect(find('198.51.100.200')).toMatchObject({ start: { text: '198.51.100.128' }, countryCode: 'NZ' });
  expect(find('192.0.2.1')).toMatchObject({ countryCode: 'FR', countryName: 'France' });
  expect(find('192.0.2.200')).toBeNull();
  expect(find('2001:db8::5')).toEqual({
    start: { number: 0x20010db8n << 96n, text: '2001:db8::' },
    end: { number: (0x20010db9n << 96n) - 1n, text: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff' },
    countryCode: 'JP',
    countryName: 'Japan',
  });
  expect(find('2001:db8:1::198.51.100.1')).toMatchObject({ countryCode: 'JP' });
  expect(find('10.0.0.1')).toBeNull();
  expect(find('::1')).toBeNull();
});

test('a database of IPv4 alone knows no IPv6 address', async () => {
  writeLocationDatabase(file('four.mmdb'), { '32.0.0.0/8': { country: country('NL', 'Netherlands') } }, 4);
  const { find } = await openLocations(file('four.mmdb'));
  expect(find('32.1.2.3')).toMatchObject({ countryCode: 'NL', end: { text: '32.255.255.255' } });
  expect(find('2001:db8::5')).toBeNull();
});

test('without a file nothing is known', async () => {
  expect((await openLocations('')).find('203.0.113.77')).toBeNull();
});

test('a file that is missing or no database is refused by name, with what would be right', async () => {
  writeFileSync(file('text.mmdb'), 'no database');
  for (const name of ['missing.mmdb', 'text.mmdb', '.']) {
    const error = await openLocations(file(name)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(LocationDatabaseError);
    expect(error.message).toContain(`${file(name)} cannot be read`);
    expect(error.message).toContain('HEDDLE_GEO_DATABASE must name');
  }
});
