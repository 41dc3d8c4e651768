import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openServedText } from '../../chat/tokenizer/served-text.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import { filesAt } from '../../engine/testing/files-at.ts';
import { planExport } from '../../services/models/export/export-files.ts';
import { Failure } from '../../util/failures.ts';
import { beginDigest } from '../../util/files-digest.ts';
import type { ModelReader } from '../model-reader.ts';
import type { OwnInference } from '../own/own-inference.ts';
import { openOwnModelReader } from '../own/own-model-reader.ts';
import { tinyPath } from '../own/testing/open-tiny.ts';
import { toFrame } from './frames.ts';
import type { PeerFrame } from './messages.ts';
import { openPeerClient } from './peer-client.ts';
import { openPeerModelReader } from './peer-model-reader.ts';
import { openPeerServer } from './peer-server.ts';
import { openTextCopies } from './text-copies.ts';
import { serverTls } from './tls.ts';

const psk = Buffer.alloc(32, 1);
const model = { id: 'm', name: 'model' };
const missing = new Failure('unavailable', 'not here');

let folder: string;
/** Where the copies are. */
let root: string;
const ending: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-texts-'));
  root = join(folder, 'texts');
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true });
});

function offering(id: string, port: number): OfferingProcess {
  const nothing = { open: [], withoutRoom: [], overflow: [] };
  return { id, offer: { protocol: '1', host: '127.0.0.1', port, files: ['m'], ...nothing } };
}

/** Another process, which has the files of the model. */
async function startPeer(id: string, withTextFiles: ModelReader['withTextFiles']): Promise<OfferingProcess> {
  const reader = { ...openOwnModelReader(withTextFiles), withTextFiles };
  const server = await openPeerServer({
    ...{ host: '127.0.0.1', port: 0, psk, id, own: {} as OwnInference, reader, requestBytesMax: 1_000_000 },
    ...{ draining: new AbortController().signal, onOverflow: () => {} },
  });
  ending.push(() => server.close());
  return offering(id, server.port);
}

/** One that answers whatever is asked with some frames, and hangs up. */
async function startFaulty(id: string, frames: PeerFrame[]): Promise<OfferingProcess> {
  const server = createServer(serverTls(psk), (_, response) => {
    for (const frame of frames) response.write(toFrame(frame));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return offering(id, (server.address() as AddressInfo).port);
}

/** This process, which has no files. */
function open(others: OfferingProcess[], requireRoom: (bytes: number) => void = () => {}) {
  const client = openPeerClient(psk);
  ending.push(() => client.close());
  const copies = openTextCopies({ folder: root, client, requireRoom });
  const own = openOwnModelReader(() => Promise.reject(missing));
  const reader = openPeerModelReader({ own, client, copies, hasFiles: async () => false, others: () => others });
  return { reader, copies };
}

const pathOf = (reader: ModelReader) => reader.withTextFiles(model, async (path) => path);
const kept = () => (existsSync(root) ? readdirSync(root) : []);

/** What the text half of a model comes to. */
async function essence(path: string) {
  const { tokenizer, chatTemplates, templateVariables, config, eosIds, bosId } = await openServedText(path);
  const ids = ["It's  1234, ü", '<|im_start|>user\nHi<|im_end|>'].map((text) => tokenizer.encode(text));
  return { ids, chatTemplates, templateVariables, config, eosIds, bosId };
}

/** A copy of the built-in model that a test may change. */
function changeable(name = 'changeable'): string {
  const path = join(folder, name);
  cpSync(tinyPath, path, { recursive: true });
  return path;
}

/** The built-in model as a GGUF file. */
async function asGguf(): Promise<string> {
  const source = { title: 'm', basePath: tinyPath, baseName: null, adapterFolder: null };
  const [file] = await planExport('gguf', source);
  const path = join(folder, file!.name);
  for (const _ of file!.write(path));
  return path;
}

test('the text half of a folder is the same here and at the process with its files', async () => {
  const path = changeable();
  mkdirSync(join(path, 'additional_chat_templates'));
  writeFileSync(join(path, 'additional_chat_templates/rag.jinja'), 'with documents');
  const { reader } = open([await startPeer('a', filesAt(path))]);
  const expected = await essence(path);
  expect(expected.chatTemplates.keys()).toContain('rag');
  expect(await reader.withTextFiles(model, essence)).toEqual(expected);
  expect(readdirSync(await pathOf(reader))).not.toContain('model.safetensors');
});

test('the text half of a GGUF file is the same here and at the process with it, without its tensors', async () => {
  const path = await asGguf();
  const { reader } = open([await startPeer('a', filesAt(path))]);
  expect(await reader.withTextFiles(model, essence)).toEqual(await essence(path));
  expect(statSync(await pathOf(reader)).size).toBeLessThan(statSync(path).size / 2);
});

test('files are fetched once, and again when they have changed; a copy stays as long as it is used', async () => {
  const path = changeable();
  const { reader } = open([await startPeer('a', filesAt(path))]);
  const first = await pathOf(reader);
  expect(await pathOf(reader)).toBe(first);
  const template = (at: string) => readFileSync(join(at, 'chat_template.jinja'), 'utf8');
  writeFileSync(join(path, 'chat_template.jinja'), 'before');
  await reader.withTextFiles(model, async (used) => {
    writeFileSync(join(path, 'chat_template.jinja'), 'after'); // of the same size
    expect(await reader.withTextFiles(model, async (newer) => template(newer))).toBe('after');
    expect(template(used)).toBe('before');
    expect(kept()).toHaveLength(2);
  });
  expect(kept()).toHaveLength(1);
});

test('requests at the same time share a copy', async () => {
  const { reader } = open([await startPeer('a', filesAt(tinyPath))]);
  const paths = await Promise.all([1, 2, 3].map(() => pathOf(reader)));
  expect(new Set(paths).size).toBe(1);
});

test('copies of an earlier process, and of models that are no longer served, are deleted', async () => {
  mkdirSync(join(root, 'earlier'), { recursive: true });
  const { reader, copies } = open([await startPeer('a', filesAt(tinyPath))]);
  expect(kept()).toEqual([]);
  await pathOf(reader);
  copies.keepOnly(new Set(['m']));
  expect(kept()).toHaveLength(1);
  copies.keepOnly(new Set(['other']));
  expect(kept()).toEqual([]);
  await pathOf(reader);
  expect(kept()).toHaveLength(1);
});

const bytes = Buffer.from('{}');
const list = [{ name: 'config.json', bytes: bytes.length }];
/** A list of files, with the digest for `bytes` as their content. */
const listed = (files: { name: string; bytes: number }[]): PeerFrame => ({
  ...{ kind: 'textFiles', files },
  digest: beginDigest(files).update(bytes).digest('hex'),
});
const content: PeerFrame = { kind: 'bytes', bytes };
const whole: PeerFrame[] = [listed(list), content, { kind: 'result', value: null }];

test.each<[string, PeerFrame[]]>([
  ['that ends within a file', [listed([{ name: 'config.json', bytes: 10 }]), content]],
  ['that leaves out bytes', [listed([{ name: 'config.json', bytes: 10 }]), content, { kind: 'result', value: null }]],
  ['that sends more than it announced', [listed([{ name: 'config.json', bytes: 1 }]), content]],
  ['whose files have another digest than it announced', [listed(list), { kind: 'bytes', bytes: Buffer.from('[]') }]],
  ['with a path to another folder', [listed([{ name: '../config.json', bytes: 2 }]), content]],
  [
    'with a path to another folder of templates',
    [listed([{ name: 'additional_chat_templates/../../x.jinja', bytes: 2 }]), content],
  ],
  ['without a list', [content]],
])('a process %s is passed over', async (_, frames) => {
  const faulty = await startFaulty('a', frames);
  await expect(pathOf(open([faulty]).reader)).rejects.toBe(missing);
  expect(kept()).toEqual([]);
  const { reader } = open([faulty, await startPeer('b', filesAt(tinyPath))]);
  expect(await reader.withTextFiles(model, essence)).toEqual(await essence(tinyPath));
  expect(kept()).toHaveLength(1);
});

test('a list of more bytes than the files of a model have is refused before there is room for it', async () => {
  const faulty = await startFaulty('a', [listed([{ name: 'tokenizer.json', bytes: 2 ** 28 }]), content]);
  const wanted: number[] = [];
  await expect(pathOf(open([faulty], (each) => wanted.push(each)).reader)).rejects.toBe(missing);
  expect(wanted).toEqual([]);
});

test('a process sends only the list of its files if the other one has their digest', async () => {
  const peer = await startPeer('a', filesAt(tinyPath));
  const client = openPeerClient(psk);
  ending.push(() => client.close());
  const kindsFor = async (known: string | null) => {
    const frames = await Array.fromAsync(client.frames(peer, { kind: 'textFiles', model, known }));
    return { kinds: new Set(frames.map(({ kind }) => kind)), first: frames[0] };
  };
  const { kinds, first } = await kindsFor(null);
  expect(kinds).toEqual(new Set(['textFiles', 'bytes', 'result']));
  expect((await kindsFor((first as PeerFrame & { kind: 'textFiles' }).digest)).kinds).toEqual(
    new Set(['textFiles', 'result']),
  );
});

test('what a process announces and sends is taken', async () => {
  const copied = await pathOf(open([await startFaulty('a', whole)]).reader);
  expect(readFileSync(join(copied, 'config.json'), 'utf8')).toBe('{}');
});

test('a process whose files are gone, or change while they are sent, is passed over', async () => {
  const gone = await startPeer('a', () => Promise.reject(new Failure('unavailable', 'gone')));
  const path = changeable();
  const size = 32 * 1024 * 1024; // more than is on its way at once
  truncateSync(join(path, 'tokenizer.json'), size);
  const announced: number[] = [];
  const changing = await startPeer('b', filesAt(path));
  const { reader } = open([gone, changing, await startPeer('c', filesAt(tinyPath))], (bytes) => {
    announced.push(bytes);
    truncateSync(join(path, 'tokenizer.json'), size - 1);
    appendFileSync(join(path, 'tokenizer.json'), '1');
  });
  expect(await reader.withTextFiles(model, essence)).toEqual(await essence(tinyPath));
  expect(announced).toEqual([expect.any(Number), expect.any(Number)]);
});

test('without a process that has the files, this one says what is missing', async () => {
  await expect(pathOf(open([offering('a', 1)]).reader)).rejects.toBe(missing);
  await expect(pathOf(open([]).reader)).rejects.toBe(missing);
});

test('a full disk and errors of the work itself are not blamed on another process', async () => {
  const peer = await startPeer('a', filesAt(tinyPath));
  const full = new Failure('noSpace', 'full');
  const { reader } = open([peer], () => {
    throw full;
  });
  await expect(pathOf(reader)).rejects.toBe(full);
  expect(kept()).toEqual([]);
  const wrong = new Failure('unavailable', 'the work');
  await expect(open([peer]).reader.withTextFiles(model, () => Promise.reject(wrong))).rejects.toBe(wrong);
});
