import { expect, test } from 'vitest';
import { describeServer, parseServerUrl } from './server-url.ts';

test('reads the parts of a URL, with defaults', () => {
  expect(parseServerUrl('postgres://he%40ddle:p%2Fw@db.example/app')).toEqual({
    host: 'db.example',
    port: 5432,
    user: 'he@ddle',
    password: 'p/w',
    database: 'app',
    tls: { mode: 'prefer', rootCertificate: null, certificate: null, key: null },
    connectTimeoutMs: 10_000,
    schema: 'heddle',
  });
  expect(parseServerUrl('postgresql://u@[::1]:5433/app?schema=other&connect_timeout=3')).toMatchObject({
    ...{ host: '::1', port: 5433, password: undefined, schema: 'other', connectTimeoutMs: 3000 },
  });
  const socket = parseServerUrl('postgres:///app?host=/run/postgresql&user=u');
  expect(socket).toMatchObject({ host: '/run/postgresql', user: 'u', tls: { mode: 'disable' } });
});

test.each([
  ['require', 'require'],
  ['require&sslrootcert=/ca.pem', 'verify-ca'],
  ['verify-full&sslrootcert=system', 'verify-full'],
])('reads sslmode=%s as libpq does', (parameters, mode) => {
  expect(parseServerUrl(`postgres://u@h/d?sslmode=${parameters}`).tls.mode).toBe(mode);
});

test('a root certificate alone asks for the strictest check', () => {
  expect(parseServerUrl('postgres://u@h/d?sslrootcert=/ca.pem').tls.mode).toBe('verify-full');
});

test.each([
  ['mysql://u:secret@h/d', 'such as postgres://'],
  ['h:5432', 'such as postgres://'],
  ['postgres://u:sec/ret@h/d', 'special characters'],
  ['postgres://u:secret@a:1,b:2/d', 'one host'],
  ['postgres://u:secret%zz@h/d', 'writes % as %25'],
  ['postgres://u:secret@h', 'no database'],
  ['postgres://:secret@h/d', 'no user'],
  ['postgres://u:secret@h/d?host=/tmp', 'one host'],
  ['postgres://u:secret@h/d?user=v', 'one user'],
  ['postgres://u:secret@h/d?sslmode=allow', 'sslmode of'],
  ['postgres://u:secret@h/d?sslmode=disable&sslrootcert=/a', 'verify-full'],
  ['postgres://u:secret@h/d?sslcert=/a', 'both sslcert and sslkey'],
  ['postgres://u:secret@h/d?options=-cfoo', '?schema=heddle'],
  ['postgres://u:secret@h/d?schema=Public', 'lower-case'],
  ['postgres://u:secret@h/d?schema=pg_temp', 'lower-case'],
  ['postgres://u:secret@h/d?pool=3', 'found pool'],
  ['postgres://u:secret@h/d?schema=a&schema=b', 'given once'],
  ['postgres://u:secret@h/d?connect_timeout=0', 'connect_timeout'],
])('rejects %s with what to write, and without quoting it', (url, found) => {
  expect(() => parseServerUrl(url)).toThrow(found);
  expect(() => parseServerUrl(url)).not.toThrow(/sec.?ret/);
});

test('messages name the server without its user and password', () => {
  expect(describeServer(parseServerUrl('postgres://u:secret@[::1]/d'))).toBe('[::1]:5432/d');
});
