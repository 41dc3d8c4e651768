import { expect, test } from 'vitest';
import { ConfigError, readConfig, settings } from './config.ts';

const refusal = (flags: Record<string, string>, environment: Record<string, string>) => {
  try {
    readConfig(flags, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return null;
};

test('without flags and environment every setting has its default', () => {
  const config = readConfig({}, {});
  expect(config).toMatchObject({ host: '127.0.0.1', port: settings.port.default, sources: {} });
});

test('by default 2,000 chat requests can wait for a model [training 64]', () => {
  const { chatWaitingMax, connectionsMax } = readConfig({}, {});
  expect(chatWaitingMax).toBeGreaterThanOrEqual(2_000);
  expect(connectionsMax).toBeGreaterThan(chatWaitingMax);
});

test('a flag wins over the environment, and the source is kept', () => {
  const config = readConfig({ port: '7001' }, { HEDDLE_PORT: '7002', HEDDLE_HOST: 'localhost' });
  expect(config).toMatchObject({ port: 7001, host: 'localhost', sources: { port: '--port', host: 'HEDDLE_HOST' } });
});

test.each([
  [{}, 0],
  [{ HEDDLE_BLOBS_URL: 's3://bucket' }, 5],
  [{ HEDDLE_POSTGRES_URL: 'postgres://a@db/heddle' }, 5],
  [{ HEDDLE_POSTGRES_URL: 'postgres://a@db/heddle', HEDDLE_DRAIN_DELAY_SECONDS: '0' }, 0],
  [{ HEDDLE_DRAIN_DELAY_SECONDS: '7' }, 7],
])('with %j, a server that stops accepts connections for %i s', (environment, seconds) => {
  expect(readConfig({}, environment as Record<string, string>).drainDelaySeconds).toBe(seconds);
});

test('an unknown variable is refused by name, with the one that was meant', () => {
  expect(refusal({}, { HEDDLE_PROT: '1' })).toContain('Unknown variable HEDDLE_PROT. Did you mean HEDDLE_PORT?');
  expect(refusal({}, { PORT: '1' })).toBeNull();
});

test.each([
  [{ HEDDLE_PORT: 'abc' }, 'HEDDLE_PORT must be a whole number from 0 to 65535 (found "abc")'],
  [{ HEDDLE_PORT: '65536' }, 'HEDDLE_PORT must be'],
  [{ HEDDLE_PORT: '-1' }, 'HEDDLE_PORT must be'],
  [{ HEDDLE_CHAT_LOGPROBS_MAX: '-2' }, 'HEDDLE_CHAT_LOGPROBS_MAX must be a whole number from -1 to'],
  [{ HEDDLE_REDACT_CREDENTIALS: 'yes' }, 'HEDDLE_REDACT_CREDENTIALS must be true or false (found "yes")'],
  [{ HEDDLE_TRUSTED_PROXIES: '10.0.0.0/33' }, 'HEDDLE_TRUSTED_PROXIES must be addresses or networks'],
  [{ HEDDLE_TRUSTED_PROXIES: '10.0.0.1, proxy' }, 'HEDDLE_TRUSTED_PROXIES must be'],
  [{ HEDDLE_TRUSTED_PROXIES: '10.0.0.0/' }, 'HEDDLE_TRUSTED_PROXIES must be'],
  [{ HEDDLE_CATALOGUE_URL: 'example.com' }, 'HEDDLE_CATALOGUE_URL must be an http or https address'],
  [
    { HEDDLE_BLOBS_PUBLIC_URL: 'minio' },
    'HEDDLE_BLOBS_PUBLIC_URL must be an address that begins with https:// or http://',
  ],
  [{ HEDDLE_BLOBS_PUBLIC_URL: 'https://minio' }, 'HEDDLE_BLOBS_PUBLIC_URL needs HEDDLE_BLOBS_URL, too.'],
  [{ HEDDLE_CATALOGUE_URL: 'file:///etc' }, 'HEDDLE_CATALOGUE_URL must be'],
  [{ HEDDLE_LOG_LEVEL: 'loud' }, 'HEDDLE_LOG_LEVEL must be one of fatal, error'],
])('a malformed value is refused by name: %j', (environment, message) => {
  expect(refusal({}, environment as Record<string, string>)).toContain(message);
});

test('a malformed key is refused without being shown', () => {
  const message = refusal({}, { HEDDLE_API_KEY: 'my-secret' });
  expect(message).toContain('HEDDLE_API_KEY must be at least 40 letters and digits (found 9 characters)');
  expect(message).not.toContain('my-secret');
});

test.each([
  // another part's address
  [
    { HEDDLE_POSTGRES_URL: 'https://u:hidden@h/d' },
    'begins with postgres:// or postgresql:// (found https://, which HEDDLE_CLICKHOUSE_URL takes)',
  ],
  [{ HEDDLE_POSTGRES_URL: 's3://hidden/d' }, '(found s3://, which HEDDLE_BLOBS_URL takes)'],
  [
    { HEDDLE_CLICKHOUSE_URL: 'postgres://u:hidden@h/d' },
    'begins with https:// or http:// (found postgres://, which HEDDLE_POSTGRES_URL takes)',
  ],
  [{ HEDDLE_CLICKHOUSE_URL: 'clickhouse://u:hidden@h:9000/d' }, 'uses the HTTP interface of ClickHouse'],
  [{ HEDDLE_CLICKHOUSE_URL: 'tcp://u:hidden@h:9000/d' }, 'uses the HTTP interface of ClickHouse'],
  [
    { HEDDLE_BLOBS_URL: 'https://hidden.s3.amazonaws.com' },
    'begins with s3:// (found https://, which HEDDLE_CLICKHOUSE_URL takes)',
  ],
  // no address
  [{ HEDDLE_POSTGRES_URL: 'mysql://u:hidden@h/d' }, 'begins with postgres://'],
  [{ HEDDLE_POSTGRES_URL: 'u:hidden@h:5432/d' }, 'begins with postgres://'],
  [{ HEDDLE_POSTGRES_URL: 'jdbc:postgresql://h/d?password=hidden' }, 'begins with postgres://'],
  [{ HEDDLE_CLICKHOUSE_URL: 'u:hidden@h:8123' }, 'begins with https://'],
  [{ HEDDLE_BLOBS_URL: 'hidden' }, 'begins with s3://'],
  [{ HEDDLE_BLOBS_URL: 's3://' }, 'found no name of a bucket'],
  [{ HEDDLE_BLOBS_URL: 's3:///hidden' }, 'found no name of a bucket'],
  // a password that is not escaped
  [{ HEDDLE_POSTGRES_URL: 'postgres://u:12/hidden@h/d' }, 'write / as %2F'],
  [{ HEDDLE_POSTGRES_URL: 'postgres://u:12?hidden=1@h/d' }, 'write / as %2F, ? as %3F'],
  [{ HEDDLE_POSTGRES_URL: 'postgres://u:12#hidden@h/d' }, '# as %23'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u:12?hidden@h/d' }, '? as %3F'],
  // parameters
  [
    { HEDDLE_POSTGRES_URL: 'postgres://u:hidden@h/d?sslmod=require' },
    'parameters among connect_timeout, host, schema, sslcert, sslkey, sslmode, sslrootcert, user (found sslmod)',
  ],
  [{ HEDDLE_POSTGRES_URL: 'postgres://u:hidden@h/d?sslmode=' }, 'a value for sslmode'],
  [{ HEDDLE_POSTGRES_URL: 'postgres://u@h/d?password=hidden' }, 'user:password@host'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u@h/d?password=hidden' }, 'user:password@host'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u:hidden@h/d?sslmode=require' }, '(found sslmode)'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u:hidden@h/d?ca=/a&ca=/b' }, 'ca given once'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u:hidden@h/d?ca=' }, 'a value for ca'],
  [{ HEDDLE_CLICKHOUSE_URL: 'https://u:hidden@h/d#x' }, 'without #'],
  [{ HEDDLE_BLOBS_URL: 's3://bucket?regoin=hidden' }, '(found regoin)'],
  [{ HEDDLE_BLOBS_URL: 's3://bucket?region=a&region=hidden' }, 'region given once'],
  [{ HEDDLE_BLOBS_URL: 's3://bucket?endpoint=http://10.0.0.1:9000&path-style=false' }, 'path-style=true'],
  // settings of a server that is not named
  [
    { HEDDLE_POSTGRES_DIRECT_URL: 'postgres://u:hidden@h/d' },
    'HEDDLE_POSTGRES_DIRECT_URL needs HEDDLE_POSTGRES_URL, too',
  ],
  [{ HEDDLE_POSTGRES_CONNECTIONS_MAX: '20' }, 'HEDDLE_POSTGRES_CONNECTIONS_MAX needs HEDDLE_POSTGRES_URL, too'],
  [{ HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '5' }, 'needs HEDDLE_CLICKHOUSE_URL, too'],
  [{ HEDDLE_BLOB_CACHE_MAX_BYTES: '5' }, 'needs HEDDLE_BLOBS_URL, too'],
  [{ HEDDLE_TINKER_API_KEY: 'hidden' }, 'HEDDLE_TINKER_API_KEY needs HEDDLE_TINKER_URL, too'],
  // a Tinker server
  [{ HEDDLE_TINKER_URL: 'ftp://host' }, 'begins with https:// or http://'],
  [{ HEDDLE_TINKER_URL: 'http://u:hidden@host' }, 'the key belongs in HEDDLE_TINKER_API_KEY'],
  [{ HEDDLE_TINKER_URL: 'http://host?key=hidden' }, 'without parameters'],
  [{ HEDDLE_TINKER_URL: 'http://host', HEDDLE_TINKER_MODELS: 'tiny' }, 'heddle/tiny=org/tiny'],
  [{ HEDDLE_TRAINER_SAMPLER_KL_MAX: '-1' }, 'a number from 0 to 100'],
  // two addresses of different schemas
  [
    {
      HEDDLE_POSTGRES_URL: 'postgres://u:hidden@h/d?schema=a',
      HEDDLE_POSTGRES_DIRECT_URL: 'postgres://u:hidden@h/d?schema=b',
    },
    'must name the same schema as HEDDLE_POSTGRES_URL: a',
  ],
])('says what to write instead of %j, without a password', (environment, message) => {
  const found = refusal({}, environment as Record<string, string>);
  expect(found).toContain(message);
  expect(found).not.toContain('hidden');
});

test.each([
  {
    HEDDLE_POSTGRES_URL: 'postgres://u:p%40ss@h/d?sslmode=verify-full',
    HEDDLE_POSTGRES_DIRECT_URL: 'postgres://u:p@h:5433/d',
  },
  { HEDDLE_POSTGRES_URL: 'postgres://u:p@ss@h/d', HEDDLE_POSTGRES_CONNECTIONS_MAX: '20' },
  { HEDDLE_POSTGRES_URL: 'postgres:///d?host=/run/postgresql&user=u' },
  { HEDDLE_CLICKHOUSE_URL: 'HTTPS://u:p@h/d?ca=/ca.pem', HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '5' },
  { HEDDLE_BLOBS_URL: 's3://bucket?endpoint=https://minio.internal:9000&region=a', HEDDLE_BLOB_CACHE_MAX_BYTES: '5' },
])('accepts %j', (environment) => {
  expect(refusal({}, environment as unknown as Record<string, string>)).toBeNull();
});
