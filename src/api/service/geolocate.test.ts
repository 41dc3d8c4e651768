import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeLocationDatabase } from '../../store/locations/testing/write-database.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-geolocate-'));
let server: TestServer;
beforeAll(async () => {
  const file = join(directory, 'countries.mmdb');
  const country = { iso_code: 'JP', names: { en: 'Japan' } };
  writeLocationDatabase(file, { '203.0.113.0/24': { country }, '2001:db8::/32': { country } });
  server = await startTestServer({ HEDDLE_GEO_DATABASE: file, HEDDLE_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' });
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

test('an address in the database', async () => {
  expect((await server.get('/geolocate?ip=203.0.113.7')).json).toEqual({
    ip: '203.0.113.7',
    location: {
      file_index: 0,
      range_start_int: 3405803776,
      range_end_int: 3405804031,
      range_start_ip: '203.0.113.0',
      range_end_ip: '203.0.113.255',
      country_code: 'JP',
      country_name: 'Japan',
    },
    allowed: true,
  });
});

test('numbers of IPv6 addresses are told digit for digit', async () => {
  const { text } = await server.get('/geolocate?ip=2001:db8::1');
  expect(text).toContain('"range_start_int":42540766411282592856903984951653826560,');
  expect(text).toContain('"range_end_int":42540766490510755371168322545197776895,');
});

test('an address that is not in it, and text that is none', async () => {
  expect((await server.get('/geolocate?ip=::1')).json).toEqual({ ip: '::1', location: null, allowed: true });
  expect((await server.get('/geolocate?ip=fe80::1%25eth0')).json).toMatchObject({ ip: 'fe80::1', location: null });
  const { status, json } = await server.get('/geolocate?ip=localhost');
  expect([status, json]).toEqual([400, { reason: 'localhost is not an IP address' }]);
});

test('the caller is who a trusted proxy says it is, and no one further from us is believed', async () => {
  const from = async (chain: string) =>
    (await server.get('/geolocate', { headers: { 'x-forwarded-for': chain } })).json.ip;
  expect(await from('203.0.113.9')).toBe('203.0.113.9');
  expect(await from('198.51.100.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
  expect(await from('::ffff:203.0.113.9')).toBe('203.0.113.9');
  expect(await from('unknown')).toBe('127.0.0.1');
});
