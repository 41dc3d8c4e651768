import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { blobDownload } from '../store/blobs/blob-download.ts';
import { clockSkewMs } from '../util/clock-skew.ts';
import type { Download } from '../util/download.ts';
import { Failure, invalidInput, notFound } from '../util/failures.ts';
import type { Deps } from './deps.ts';

/** What an address gives access to: one key of the blob store, for reading or for writing. */
type Grant = {
  method: 'GET' | 'PUT';
  key: string;
  /** The MD5 of the bytes, in hexadecimal digits. Null if it is unknown: then any may be written, and what is read may change. */
  md5: string | null;
};

/** Addresses of single blobs that work without an API key until they expire. */
export type SignedBlobs = {
  /** The path and query of an address of this server. */
  address(grant: Grant): string;
  /**
   * An address of the bucket if clients reach it, which then does not compare what is written with an MD5; otherwise one of
   * this server, whose own address is given.
   */
  url(server: string, grant: Grant): Promise<string>;
  /** @throws Failure if the address is forged or expired */
  read(asked: SignedRequest): Download;
  /** Resolves when the bytes are durable. @throws Failure if the address is forged or expired, or the digest is wrong */
  write(asked: SignedRequest, bytes: AsyncIterable<Uint8Array>, sizeBytes?: number): Promise<void>;
  /** Rejects a URL before its body is read. @throws Failure */
  check(method: 'GET' | 'PUT', asked: SignedRequest): void;
};

/** An address as it was requested. */
export type SignedRequest = { key: string; query: Record<string, unknown> };

/** The prefix of these URLs. */
export const signedPath = '/storage/';

export function openSignedBlobs(
  { blobs, directBlobs, secretKey }: Pick<Deps, 'blobs' | 'directBlobs' | 'secretKey'>,
  { validSeconds }: { validSeconds: number },
): SignedBlobs {
  let signingKey: Buffer | undefined;

  function sign({ method, key, md5 }: Grant, expires: string): Buffer {
    signingKey ??= Buffer.from(hkdfSync('sha256', secretKey.ensure(), '', 'heddle signed addresses', 32));
    return createHmac('sha256', signingKey)
      .update(JSON.stringify([method, key, md5, expires]))
      .digest();
  }

  function grantOf(method: Grant['method'], { key, query }: SignedRequest): Grant {
    const [expires, md5, signature] = [query.expires, query.md5 ?? null, query.signature].map(asText);
    if (!expires || !signature) throw new Failure('forbidden', 'This address is not signed.');
    const grant = { method, key, md5: md5 ?? null };
    const [expected, found] = [sign(grant, expires), Buffer.from(signature, 'base64url')];
    if (found.length !== expected.length || !timingSafeEqual(found, expected)) {
      throw new Failure('forbidden', 'The signature of this address is not valid.');
    }
    if (Number(expires) * 1000 + clockSkewMs < Date.now())
      throw new Failure('forbidden', 'This address has expired. Ask for a new one.');
    return grant;
  }

  function address(grant: Grant): string {
    const expires = String(Math.floor(Date.now() / 1000) + validSeconds);
    const query = new URLSearchParams({ expires, ...(grant.md5 === null ? {} : { md5: grant.md5 }) });
    query.set('signature', sign(grant, expires).toString('base64url'));
    return `${signedPath}${grant.key}?${query}`;
  }

  return {
    address,

    async url(server, grant) {
      return directBlobs?.address(grant.method, grant.key, validSeconds) ?? server + address(grant);
    },

    read(asked) {
      const { key, md5 } = grantOf('GET', asked);
      return blobDownload(blobs, key, { tag: md5, missing: () => notFound('The file does not exist.') });
    },

    async write(asked, bytes, sizeBytes) {
      const { key, md5 } = grantOf('PUT', asked);
      await blobs.put(key, md5 === null ? bytes : checked(bytes, md5), { sizeBytes });
    },

    check(method, asked) {
      grantOf(method, asked);
    },
  };
}

/** Fails after the last byte if the digest differs: then nothing is stored. */
async function* checked(bytes: AsyncIterable<Uint8Array>, md5: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('md5');
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  const found = hash.digest('hex');
  if (found !== md5) throw invalidInput(`The uploaded bytes have the MD5 ${found}, not ${md5}.`);
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
