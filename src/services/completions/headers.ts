import { invalidInput } from '../../util/failures.ts';

/** Names in lower case. */
export type Headers = Record<string, string>;

/** The first ones make a cloud metadata service return credentials; the others belong to the connection. */
const refused =
  /^(?:metadata-flavor|x-aws-ec2-metadata-token(?:-ttl-seconds)?|host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*)$/;

const credentialName = /auth|key|token|secret|password|cookie/;
/** Shorter values are not credentials, such as the version in `x-key-version: 2`. */
const credentialCharactersMin = 4;

/** The credentials among headers, also without their scheme (`Bearer`): a provider's errors may quote them. */
export function credentialsIn(headers: Headers): string[] {
  return Object.entries(headers)
    .filter(([name]) => credentialName.test(name))
    .flatMap(([, value]) => [value, value.replace(/^[A-Za-z]+ /, '')])
    .filter(({ length }) => length >= credentialCharactersMin);
}

/** Checks the headers that a user adds to requests. @throws Failure for those that cannot or must not be sent */
export function headersFrom(given: Record<string, unknown>): Headers {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,200}$/.test(lower) || refused.test(lower)) {
      throw invalidInput(`extra_headers must not contain ${JSON.stringify(name.slice(0, 100))}.`);
    }
    const text = String(value);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw invalidInput(`The value of ${lower} in extra_headers cannot be sent in a header.`);
    }
    headers[lower] = text;
  }
  return headers;
}
