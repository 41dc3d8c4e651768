import { expect, test } from 'vitest';
import { describeServer, hostsOf, parseServerUrl } from './server-url.ts';

test.each([
  ['http://u:p@host/db', 'http://host:8123', 'u', 'p', 'db'],
  ['https://u:p%40%2F@host/db', 'https://host:8443', 'u', 'p@/', 'db'],
  ['https://u@[::1]:9000/traces_2', 'https://[::1]:9000', 'u', '', 'traces_2'],
])('%s', (text, origin, user, password, database) => {
  const rest = { cluster: null, rootCertificate: null };
  expect(parseServerUrl(text)).toEqual({ origins: [origin], user, password, database, ...rest });
});

test('replicas are hosts with commas in between, each with its own port', () => {
  const address = parseServerUrl('https://u:p%2C@a:9000,[::1],c:1/db?cluster=main-1');
  expect(address).toMatchObject({ password: 'p,', cluster: 'main-1' });
  expect(address.origins).toEqual(['https://a:9000', 'https://[::1]:8443', 'https://c:1']);
  expect(hostsOf(address).map(({ origin }) => origin)).toEqual(address.origins);
  expect(describeServer(address)).toBe('https://a:9000,[::1]:8443,c:1/db');
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
  ['https://u:secret@a:8123,a:8123/db', 'names each host once'],
  ['https://u:secret@a:8123,/db', 'hosts such as'],
  ['https://u:secret@a:8123,b:x/db', 'hosts such as'],
  [`https://u:secret@${Array.from({ length: 17 }, (_, index) => `h${index}`).join(',')}/db`, 'at most 16 hosts'],
  ["https://u:secret@host/db?cluster=it's", 'the name of a cluster'],
  ['https://u:secret@host/db?cluster=', 'the name of a cluster'],
  ['https://u:secret@host/db?secure=1', 'parameters among ca, cluster (found secure)'],
  ['https://u:sec%ret@host/db', 'writes % as %25'],
])('%s is refused without its password', (text, words) => {
  expect(() => parseServerUrl(text)).toThrow(words);
  expect(() => parseServerUrl(text)).not.toThrow('secret');
});

test('messages name the server without user and password', () => {
  expect(describeServer(parseServerUrl('https://u:secret@host/db'))).toBe('https://host:8443/db');
});
