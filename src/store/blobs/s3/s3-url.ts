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
  checksums: 'always' | 'when required';
};

/** The URL is not one of a bucket; the message says what to write. */
export class S3UrlError extends Error {
  override name = 'S3UrlError';
}

const example = 's3://BUCKET/PREFIX?region=eu-central-1, with &endpoint=https://HOST for a server other than AWS';
const parameters = ['region', 'endpoint', 'path-style', 'checksums'];

/**
 * Reads `s3://bucket/prefix?region=…&endpoint=…&path-style=…&checksums=…`. A server other
 * than AWS gets the bucket in the path, and checksums only where an operation requires them, unless the parameters say
 * differently.
 * @throws S3UrlError
 */
export function parseS3Url(text: string): S3Address {
  if (!URL.canParse(text)) throw new S3UrlError(`The address of the blob store is not a URL. Write ${example}.`);
  const url = new URL(text);
  if (url.protocol !== 's3:') {
    throw new S3UrlError(
      `The address of the blob store begins with ${url.protocol}//, not with s3://. Write ${example}.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new S3UrlError(
      'The address of the blob store has credentials. Leave them out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a ' +
        'profile, or the role of the machine.',
    );
  }
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new S3UrlError(`${bucket || 'An empty name'} is not the name of a bucket. Write ${example}.`);
  }
  for (const name of url.searchParams.keys()) {
    if (parameters.includes(name)) continue;
    throw new S3UrlError(
      `The address of the blob store has the unknown parameter ${name}; there are ${parameters.join(', ')}.`,
    );
  }
  const endpoint = endpointOf(url.searchParams.get('endpoint'));
  return {
    bucket,
    prefix: prefixOf(url.pathname),
    region: url.searchParams.get('region') || null,
    endpoint,
    isPathStyle: choice(url, 'path-style', ['true', 'false'], endpoint === null ? 'false' : 'true') === 'true',
    checksums:
      choice(url, 'checksums', ['always', 'required'], endpoint === null ? 'always' : 'required') === 'always'
        ? 'always'
        : 'when required',
  };
}

function prefixOf(path: string): string {
  const segments = path.split('/').filter(Boolean);
  if (segments.some((segment) => !/^[\w=][\w.=-]*$/.test(segment))) {
    throw new S3UrlError('The prefix of the blob store may only hold letters, digits and _ . = - between its slashes.');
  }
  return segments.map((segment) => `${segment}/`).join('');
}

function endpointOf(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return text.replace(/\/+$/, '');
  throw new S3UrlError(
    'The endpoint of the blob store must be a URL with https:// or http:// and without credentials.',
  );
}

function choice(url: URL, name: string, values: [string, string], otherwise: string): string {
  const value = url.searchParams.get(name) ?? otherwise;
  if (values.includes(value)) return value;
  throw new S3UrlError(`${name} of the blob store's address is ${values.join(' or ')}.`);
}
