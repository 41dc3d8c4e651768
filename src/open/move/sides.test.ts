import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placeOf } from '../places.ts';
import { partsToMove } from './parts.ts';
import { sideOf } from './sides.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-sides-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment = {
  HEDDLE_CLICKHOUSE_URL: 'https://u:hidden@ch.example/traces',
  HEDDLE_POSTGRES_URL: 'postgres://u:hidden@db.example/h',
  HEDDLE_POSTGRES_DIRECT_URL: 'postgres://u:hidden@direct.example/h',
  HEDDLE_POSTGRES_CONNECTIONS_MAX: '5',
  HEDDLE_LOG_LEVEL: 'error',
};

function fileOf(text: string): string {
  const path = join(folder, 'stores.env');
  writeFileSync(path, text);
  return path;
}

function placesOf(word: string, given: Record<string, string> = environment): string[] {
  return Object.values(sideOf(word, '/data', given).kinds).map(placeOf);
}

test('embedded is the data directory, env is what variables name, and a file has variables of its own', () => {
  expect(placesOf('embedded')).toEqual(['/data/clickhouse', '/data/postgres', '/data/blobs']);
  expect(placesOf('env')).toEqual([
    'https://ch.example:8443/traces',
    'postgres://db.example:5432/h?schema=heddle',
    '/data/blobs',
  ]);
  const file = fileOf(
    "# where files are\nHEDDLE_BLOBS_URL='s3://bucket/p?endpoint=https://minio.example'\nHEDDLE_DATA=/other\nPATH=/bin\n",
  );
  expect(placesOf(file)).toEqual(['/data/clickhouse', '/data/postgres', 's3://bucket/p/ at https://minio.example']);
});

test('parts whose places are the same do not move', () => {
  const moved = (from: string, to: string) =>
    partsToMove(sideOf(from, '/data', environment), sideOf(to, '/data', environment)).map(({ part }) => part);
  expect(moved('embedded', 'env')).toEqual(['clickhouse', 'postgres']);
  expect(moved('env', fileOf('HEDDLE_CLICKHOUSE_URL=https://other:word@ch.example:8443/traces'))).toEqual(['postgres']);
  expect(moved('env', 'env')).toEqual([]);
});

test('the credentials of a file are those of its bucket', () => {
  const keys = 'AWS_ACCESS_KEY_ID=a\nAWS_SECRET_ACCESS_KEY=b\n';
  expect(sideOf(fileOf(keys), '/data', {}).credentials).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
  expect(sideOf(fileOf(''), '/data', {}).credentials).toBeNull();
  expect(() => sideOf(fileOf('AWS_ACCESS_KEY_ID=a'), '/data', {})).toThrow('belong together');
});

test.each([
  [
    'HEDDLE_POSTGRES_URL=http://u:hidden@db',
    /stores\.env: HEDDLE_POSTGRES_URL must be an address that begins with postgres/,
  ],
  ['HEDDLE_POSTGRES_ULR=x', /stores\.env: Unknown variable HEDDLE_POSTGRES_ULR. Did you mean/],
])('%s in a file is refused with its name', (text, message) => {
  expect(() => sideOf(fileOf(text), '/data', {})).toThrow(message);
  expect(() => sideOf(fileOf(text), '/data', {})).not.toThrow('hidden');
});

test('a file that cannot be read is refused with what could be there', () => {
  expect(() => sideOf('servers', '/data', {})).toThrow('--from and --to are embedded, env, or a file with variables');
});
