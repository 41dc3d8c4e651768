import { expect, test } from 'vitest';
import { describeServer, parseServerUrl } from './server-url.ts';

test.each([
  ['http://u:p@host/db', 'http://host:8123', 'u', 'p', 'db'],
  ['https://u:p%40%2F@host/db', 'https://host:8443', 'u', 'p@/', 'db'],
  ['https://u@[::1]:9000/traces_2', 'https://[::1]:9000', 'u', '', 'traces_2'],
])('%s', (text, origin, user, password, database) => {
  expect(parseServerUrl(text)).toEqual({ origin, user, password, database, rootCertificate: null });
});

test('a file of authorities is for https', () => {
  expect(parseServerUrl('https://u:p@host/db?ca=/etc/ca.pem')).toMatchObject({ rootCertificate: '/etc/ca.pem' });
  expect(() => parseServerUrl('http://u:p@host/db?ca=/etc/ca.pem')).toThrow('begins with https:');
});

test.each([
  ['clickhouse://u:p@host/db', 'an address such as'],
  ['https://host/db', 'found no user'],
  ['https://u:secret@host', 'found no database'],
  ['https://u:secret@host/my-db', 'found no database'],
  ['https://u:secret@a:8123,b:8123/db', 'replicas are not supported yet'],
  ['https://u:secret@host/db?cluster=main', 'clusters are not supported yet'],
  ['https://u:secret@host/db?secure=1', 'parameters among ca (found secure)'],
  ['https://u:sec%ret@host/db', 'writes % as %25'],
])('%s is refused without its password', (text, words) => {
  expect(() => parseServerUrl(text)).toThrow(words);
  expect(() => parseServerUrl(text)).not.toThrow('secret');
});

test('messages name the server without user and password', () => {
  expect(describeServer(parseServerUrl('https://u:secret@host/db'))).toBe('https://host:8443/db');
});
