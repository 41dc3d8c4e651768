import { isIP } from 'node:net';

/** A bucket, or a part of one, that an `s3://` URL names. Credentials are never part of it. */
export type S3Address = {
  bucket: string;
  /** In front of every key, with its slash at the end; empty for the whole bucket. */
  prefix: string;
  /** Null: that of the environment or the profile. */
  region: string | null;
  /** The server; null for AWS. */
  endpoint: string | null;
  /** Whether the bucket is in the path of requests instead of their host name. */
  isPathStyle: boolean;
  /** Whether every request and response has a checksum. Servers other than AWS may refuse them. */
  checksums: 'always' | 'required';
};

const expected =
  'an address such as s3://bucket/prefix?region=eu-central-1, with &endpoint=https://host for a server other than AWS';
const parameters = ['region', 'endpoint', 'path-style', 'checksums'];

/**
 * Reads `s3://bucket/prefix?region=…&endpoint=…&path-style=…&checksums=…`. A server other than AWS gets the bucket in the
 * path, and checksums only where an operation requires them, unless the parameters say differently.
 * @throws Error whose message completes "must be …"; it never quotes credentials
 */
export function parseS3Url(text: string): S3Address {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw new Error(expected);
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'an address without credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine',
    );
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new Error(`${expected} (found no name of a bucket)`);
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) {
      throw new Error(`an address with parameters among ${parameters.join(', ')} (found ${name.slice(0, 40)})`);
    }
  }
  const endpoint = endpointOf(url.searchParams.get('endpoint'));
  const isPathStyle = choice(url, 'path-style', ['true', 'false'], endpoint === null ? 'false' : 'true') === 'true';
  if (!isPathStyle && endpoint !== null && isIP(new URL(endpoint).hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new Error('an address with path-style=true where the endpoint is an IP address');
  }
  return {
    bucket: url.host,
    prefix: prefixOf(url.pathname),
    region: url.searchParams.get('region') || null,
    endpoint,
    isPathStyle,
    checksums: choice(url, 'checksums', ['always', 'required'], endpoint === null ? 'always' : 'required'),
  };
}

/** For messages. */
export function describeBucket({ bucket, prefix, endpoint }: S3Address): string {
  return `s3://${bucket}/${prefix}${endpoint === null ? '' : ` at ${endpoint}`}`;
}

function prefixOf(path: string): string {
  const segments = path.split('/').filter(Boolean);
  if (segments.some((segment) => !/^[\w=][\w.=-]*$/.test(segment))) {
    throw new Error('an address whose prefix has only letters, digits and _ . = - between its slashes');
  }
  return segments.map((segment) => `${segment}/`).join('');
}

function endpointOf(text: string | null): string | null {
  if (text === null) return null;
  if (isServer(text)) return text.replace(/\/+$/, '');
  throw new Error('an address whose endpoint begins with https:// or http:// and has no credentials');
}

/**
 * Reads the address at which clients reach the server of a bucket.
 * @throws Error whose message completes "must be …"
 */
export function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  if (url && isServer(text) && url.search === '' && url.hash === '') return text.replace(/\/+$/, '');
  throw new Error('an address that begins with https:// or http:// and has no parameters or credentials');
}

function isServer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function choice<Value extends string>(url: URL, name: string, values: readonly Value[], fallback: Value): Value {
  const given = url.searchParams.get(name);
  const found = given === null ? fallback : values.find((value) => value === given);
  if (found === undefined) throw new Error(`an address whose ${name} is ${values.join(' or ')}`);
  return found;
}
