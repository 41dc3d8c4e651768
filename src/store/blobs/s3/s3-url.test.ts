import { expect, test } from 'vitest';
import { parsePublicUrl, parseS3Url } from './s3-url.ts';

test('a bucket of AWS', () => {
  expect(parseS3Url('s3://traces?region=eu-central-1')).toEqual({
    bucket: 'traces',
    prefix: '',
    region: 'eu-central-1',
    endpoint: null,
    isPathStyle: false,
    checksums: 'always',
  });
});

test('a prefix, and the region of the environment', () => {
  expect(parseS3Url('s3://traces/team/heddle/')).toMatchObject({ prefix: 'team/heddle/', region: null });
});

test('another server gets the bucket in the path, and checksums only where they are required', () => {
  expect(parseS3Url('s3://traces?endpoint=https://minio.internal:9000/')).toMatchObject({
    endpoint: 'https://minio.internal:9000',
    isPathStyle: true,
    checksums: 'required',
  });
  const chosen = parseS3Url('s3://traces?endpoint=https://r2.example&path-style=false&checksums=always');
  expect(chosen).toMatchObject({ isPathStyle: false, checksums: 'always' });
});

test.each([
  ['bucket', 'an address such as s3://'],
  ['https://bucket', 'an address such as s3://'],
  ['s3://', 'found no name of a bucket'],
  ['s3://UPPER_case', 'found no name of a bucket'],
  ['s3://key:hidden@bucket', 'an address without credentials'],
  ['s3://bucket/a b', 'an address whose prefix'],
  ['s3://bucket?regoin=x', 'found regoin'],
  ['s3://bucket?endpoint=minio', 'an address whose endpoint'],
  ['s3://bucket?endpoint=http://user:hidden@minio', 'has no credentials'],
  ['s3://bucket?path-style=yes', 'path-style is true or false'],
  ['s3://bucket?checksums=none', 'checksums is always or required'],
])('%s is refused', (text, message) => {
  expect(() => parseS3Url(text)).toThrow(message);
  expect(() => parseS3Url(text)).not.toThrow('hidden');
});

test('the address for clients is that of a server', () => {
  expect(parsePublicUrl('https://minio.example:9000/')).toBe('https://minio.example:9000');
  for (const text of ['minio', 's3://bucket', 'https://key:hidden@minio', 'https://minio?region=x']) {
    expect(() => parsePublicUrl(text)).toThrow('an address that begins with https:// or http://');
    expect(() => parsePublicUrl(text)).not.toThrow('hidden');
  }
});
