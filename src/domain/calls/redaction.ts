import { mapStrings } from '../../util/json/strings.ts';

const exactNames = new Set([
  'authheaders',
  'authorization',
  'authtoken',
  'awsaccesskey',
  'awsaccesskeyid',
  'bearertoken',
  'vertexcredentials',
  'webhookkey',
  'webhooksecret',
]);

const endings =
  /(?:accesstoken|apikey|apitoken|clientsecret|privatekey|refreshtoken|secretaccesskey|secretkey|sessiontoken)$/;

/** Every credential-like key holds one of these words; a text without them needs no walk. */
const suspicious = /auth|key|token|secret|credentials/i;

/** Replaces non-empty strings under credential-like keys of minified JSON text by `"REDACTED"`, at any depth. */
export function redactCredentials(text: string): string {
  if (!suspicious.test(text)) return text;
  return mapStrings(text, (value, key) => (value !== '' && key !== null && isCredentialKey(key) ? 'REDACTED' : value));
}

export function isCredentialKey(key: string): boolean {
  if (key.length > 200 || !suspicious.test(key)) return false;
  const name = key.toLowerCase().replaceAll(/[_-]/g, '');
  return exactNames.has(name) || endings.test(name);
}
