import { createHash } from 'node:crypto';
import type { ProjectId } from '../../contract/ids.ts';
import type { Files } from '../files/files.ts';

/** Stores bytes as the files of a `Content` object of the SDK, and returns its value. */
export async function storeContent(files: Files, projectId: ProjectId, bytes: Buffer): Promise<object> {
  const { mimetype, extension } = typeOf(bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const metadata = {
    size: bytes.length,
    mimetype,
    digest,
    filename: `${digest.slice(0, 8)}${extension}`,
    content_type: 'bytes',
    input_type: 'bytes',
    encoding: 'utf-8',
    extension,
  };
  const store = async (name: string, of: Uint8Array) => (await files.store({ projectId, name, bytes: of })).digest;
  return {
    _type: 'CustomWeaveType',
    weave_type: { type: 'weave.type_wrappers.Content.content.Content' },
    files: {
      content: await store('content', bytes),
      'metadata.json': await store('metadata.json', Buffer.from(JSON.stringify(metadata))),
    },
  };
}

const signatures: [mimetype: string, extension: string, pattern: RegExp][] = [
  ['image/png', '.png', /^\x89PNG/],
  ['image/jpeg', '.jpg', /^\xff\xd8\xff/],
  ['image/gif', '.gif', /^GIF8/],
  ['image/webp', '.webp', /^RIFF.{4}WEBP/s],
];

function typeOf(bytes: Buffer) {
  const head = bytes.toString('latin1', 0, 16);
  const [mimetype, extension] = signatures.find(([, , pattern]) => pattern.test(head)) ?? [
    'application/octet-stream',
    '.bin',
  ];
  return { mimetype, extension };
}
