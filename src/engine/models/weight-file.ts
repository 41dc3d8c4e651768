import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { humanBytes } from '../../util/human-bytes.ts';
import { elementCount, type WeightSource } from './weight-source.ts';

/** A tensor of the file: the rows of some tensors of the model, one after the other. */
export type FileWeight = { name: string; shape: number[]; parts: string[] };

/** The file that holds all weights as f32, and where in it. */
export type WeightFile = { folder: string; places: Map<string, { file: string; offset: number; shape: number[] }> };

/** Goes into the name of the file: raise it when the same weights come to be laid out otherwise. */
const layoutVersion = 1;

/** So that each tensor is mapped into memory from where it starts. */
const alignment = 4096;

const chunkElementsMax = 4 * 1024 ** 2;

/**
 * The weights of a model in one file, in the form that is mapped into memory. It is made when a model is opened for the
 * first time, and anew when the model's files have changed. It waits for the disk.
 */
export function prepareWeightFile(
  path: string,
  folder: string,
  weights: FileWeight[],
  source: WeightSource,
): WeightFile {
  const stem = `${basename(path)}.f32-`;
  const file = `${stem}${fingerprint(path, weights)}.weights`;
  const { places, bytes } = layOut(file, weights);
  const target = join(folder, file);
  if (existsSync(target)) return { folder, places };
  mkdirSync(folder, { recursive: true });
  checkDisk(folder, bytes);
  const unfinished = `${target}.${randomUUID()}.unfinished`;
  try {
    writeWeights(unfinished, weights, places, source);
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  removeOthers(folder, stem, file);
  return { folder, places };
}

function layOut(file: string, weights: FileWeight[]): { places: WeightFile['places']; bytes: number } {
  const places: WeightFile['places'] = new Map();
  let offset = 0;
  for (const { name, shape } of weights) {
    places.set(name, { file, offset, shape });
    offset += Math.ceil((4 * elementCount(shape)) / alignment) * alignment;
  }
  return { places, bytes: offset };
}

function writeWeights(path: string, weights: FileWeight[], places: WeightFile['places'], source: WeightSource): void {
  const file = openSync(path, 'w');
  try {
    for (const { name, shape, parts } of weights) {
      const start = places.get(name)!.offset;
      let offset = start;
      for (const part of parts) {
        for (const rows of readInChunks(source, part)) offset += writeFully(file, rows, offset);
      }
      const found = (offset - start) / 4;
      if (found !== elementCount(shape)) {
        throw new Error(`${parts.join(', ')} should have ${shape.join(' × ')} elements in all, and have ${found}`);
      }
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function* readInChunks(source: WeightSource, name: string): Generator<Float32Array> {
  const [rows, ...rest] = source.shape(name);
  const rowsAtOnce = Math.max(1, Math.floor(chunkElementsMax / elementCount(rest)));
  for (let first = 0; first < rows!; first += rowsAtOnce) {
    yield source.readRows(name, first, Math.min(rowsAtOnce, rows! - first));
  }
}

function writeFully(file: number, rows: Float32Array, offset: number): number {
  const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, offset + done);
  return done;
}

/** Of the model's files as they are now, and of how their weights are laid out. */
function fingerprint(path: string, weights: FileWeight[]): string {
  const hash = createHash('sha256').update(JSON.stringify([layoutVersion, weights]));
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? readdirSync(path).filter((name) => /\.(json|safetensors)$/.test(name)) : [''];
  for (const name of files.sort()) {
    const { size, mtimeMs } = statSync(join(path, name));
    hash.update(JSON.stringify([name, size, mtimeMs]));
  }
  return hash.digest('hex').slice(0, 16);
}

function checkDisk(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bytes <= bavail * bsize) return;
  const free = humanBytes(bavail * bsize);
  throw new Error(`The weights take ${humanBytes(bytes)} on disk as f32, and ${folder} has ${free} left.`);
}

/** Earlier states of the same model. A process that has one open keeps it. */
function removeOthers(folder: string, stem: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(stem) && name !== kept) rmSync(join(folder, name), { force: true });
  }
}
