import { bytesDigest } from '../../domain/digest/digest.ts';

/** How the digest of a blob is known when it is read. */
export type DigestRule =
  /** The key ends with it, or with it and a number. */
  | { kind: 'inKey'; algorithm: 'sha256' | 'md5'; digest: string }
  /** It is stored beside the blob. */
  | { kind: 'beside' }
  /** It is not: clients of runs replace their files at any time, and outside of projects is nothing that is read often. */
  | { kind: 'none' };

const digestLength = bytesDigest(new Uint8Array()).length;

export function digestRule(key: string): DigestRule {
  const [top, , kind, name = '', ...more] = key.split('/');
  if (top !== 'projects' || kind === 'run-files') return { kind: 'none' };
  if (more.length === 0 && kind === 'files' && name.length === digestLength) {
    return { kind: 'inKey', algorithm: 'sha256', digest: name };
  }
  const [, md5] = /^([0-9a-f]{32})(?:-\d+)?$/.exec(name) ?? [];
  if (more.length === 0 && kind === 'artifact-files' && md5 !== undefined) {
    return { kind: 'inKey', algorithm: 'md5', digest: md5 };
  }
  return { kind: 'beside' };
}
