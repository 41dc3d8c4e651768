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
