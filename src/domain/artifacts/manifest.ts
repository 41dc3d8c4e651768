import { z } from 'zod';
import { unacceptable } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { mapInTurns } from '../../util/turns.ts';

/** A file of an artifact as its manifest lists it. */
export type ManifestEntry = {
  path: string;
  /** MD5 in base64; for a reference whatever identifies its content. */
  digest: string;
  sizeBytes: number;
  /** Where the file is, if it is not uploaded. */
  reference: string | null;
};

const manifestSchema = z.object({ version: z.literal(1), contents: z.record(z.string(), z.unknown()) });
const entrySchema = z.object({
  digest: z.string(),
  size: z.number().int().nonnegative().nullish(),
  ref: z.string().nullish(),
});

/** Reads the manifest of an artifact. @throws Failure that names the first thing that is wrong */
export async function readManifest(text: string): Promise<ManifestEntry[]> {
  const { contents } = parsed(manifestSchema, parseOrNull(text), 'The manifest of the artifact');
  return mapInTurns(Object.entries(contents), ([path, entry]) => readEntry(path, entry));
}

function readEntry(path: string, entry: unknown): ManifestEntry {
  const { digest, size, ref } = parsed(entrySchema, entry, `The entry of ${path} in the manifest`);
  const reference = ref ?? null;
  if (reference === null && md5OfDigest(digest) === null) {
    throw unacceptable(`The digest of ${path} is not an MD5 digest in base64 (found ${digest}).`);
  }
  if (isUnsafe(path)) throw unacceptable(`The path ${path} of an artifact's file is outside its folder.`);
  return { path, digest, sizeBytes: size ?? 0, reference };
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw unacceptable(`${what} is not valid: ${z.prettifyError(result.error)}`);
}

/** The manifest of files that the server itself made. */
export function writeManifest(
  artifactId: string,
  files: { path: string; digest: string; sizeBytes: number }[],
): string {
  const contents = Object.fromEntries(
    files.map(({ path, digest, sizeBytes }) => [path, { digest, size: sizeBytes, birthArtifactID: artifactId }]),
  );
  return JSON.stringify({
    version: 1,
    storagePolicy: 'wandb-storage-policy-v1',
    storagePolicyConfig: { storageLayout: 'V2' },
    contents,
  });
}

/** What identifies the content of an artifact: the lines that its digest is the MD5 of. */
export function digestedLines(files: { path: string; digest: string }[]): string {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return `wandb-artifact-manifest-v1\n${sorted.map(({ path, digest }) => `${path}:${digest}\n`).join('')}`;
}

/** The MD5 of a digest in base64 as hexadecimal digits; null for anything else. */
export function md5OfDigest(digest: string): string | null {
  if (!/^[A-Za-z0-9+/]{22}==$/.test(digest)) return null;
  return Buffer.from(digest, 'base64').toString('hex');
}

function isUnsafe(path: string): boolean {
  return (
    path === '' || path.startsWith('/') || path.includes('\\') || path.includes('\0') || path.split('/').includes('..')
  );
}

function parseOrNull(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    return null;
  }
}
