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
import { convertRows, type GroupFormat, packCodes } from './grouped-rows.ts';
import { type FileWeight, groupFormatOf, layOut, type WeightPlace } from './weight-layout.ts';
import { elementCount, type WeightSource } from './weight-source.ts';

/** The file with all weights in the form that is mapped into memory, and their places in it. */
export type WeightFile = { folder: string; places: ReadonlyMap<string, WeightPlace> };

/** Part of the file's name. Increase it when the layout changes. */
const layoutVersion = 2;

const chunkElementsMax = 4 * 1024 ** 2;

/**
 * Writes the weights of a model to one file, in the form that is mapped into memory, unless it exists and the model's files
 * have not changed since. Blocks while reading and writing.
 * @param form `quantised`: quantised weights stay quantised; `f32`: they are widened
 */
export function prepareWeightFile(
  path: string,
  folder: string,
  weights: FileWeight[],
  source: WeightSource,
  form: 'quantised' | 'f32' = 'f32',
): WeightFile {
  const formats = form === 'quantised' ? groupFormats(weights, source) : new Map<string, GroupFormat>();
  const stem = `${basename(path)}.${formats.size === 0 ? 'f32' : form}-`;
  const file = `${stem}${fingerprint(path, [weights, [...formats]])}.weights`;
  const { places, bytes } = layOut(file, weights, formats);
  const target = join(folder, file);
  if (existsSync(target)) return { folder, places };
  mkdirSync(folder, { recursive: true });
  checkDisk(folder, bytes);
  const written = `${target}.${randomUUID()}${unfinished}`;
  try {
    writeWeights(written, weights, places, source);
    renameSync(written, target);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
  removeOthers(folder, stem, file);
  return { folder, places };
}

/** The formats of weights that stay quantised, by name. */
export function groupFormats(weights: FileWeight[], source: Pick<WeightSource, 'groups'>): Map<string, GroupFormat> {
  const formats = new Map<string, GroupFormat>();
  for (const weight of weights) {
    const format = groupFormatOf(weight, source);
    if (format !== null) formats.set(weight.name, format);
  }
  return formats;
}

function writeWeights(path: string, weights: FileWeight[], places: WeightFile['places'], source: WeightSource): void {
  const file = openSync(path, 'w');
  try {
    for (const weight of weights) {
      const found = writeParts(file, weight.parts, places.get(weight.name)!, source);
      if (found === elementCount(weight.shape)) continue;
      const { parts, shape } = weight;
      throw new Error(`${parts.join(', ')} should have ${shape.join(' × ')} elements in total; found ${found}`);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** @returns the number of elements written */
function writeParts(file: number, parts: string[], place: WeightPlace, source: WeightSource): number {
  let written = 0;
  for (const part of parts) {
    for (const { first, count, elements } of chunks(source.shape(part))) {
      if (place.kind === 'f32') writeFully(file, source.readRows(part, first, count), place.offset + 4 * written);
      else writeGroups(file, part, { first, count }, { ...place, written }, source);
      written += elements;
    }
  }
  return written;
}

/** Writes some rows of a part after the elements that are already written. */
function writeGroups(
  file: number,
  part: string,
  { first, count }: { first: number; count: number },
  { format, offsets, written }: Extract<WeightPlace, { kind: 'grouped' }> & { written: number },
  source: WeightSource,
): void {
  const rows = convertRows(source.readGroups(part, first, count), source.groups(part)!, format);
  const groupsBefore = written / format.groupSize;
  writeFully(file, packCodes(rows.codes, format), offsets.codes + (written * format.bits) / 8);
  writeFully(file, rows.scales, offsets.scales + 4 * groupsBefore);
  if (offsets.minima !== null) writeFully(file, rows.minima!, offsets.minima + 4 * groupsBefore);
}

function* chunks([rows, ...rest]: number[]): Generator<{ first: number; count: number; elements: number }> {
  const rowElements = elementCount(rest);
  const rowsAtOnce = Math.max(1, Math.floor(chunkElementsMax / rowElements));
  for (let first = 0; first < rows!; first += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows! - first);
    yield { first, count, elements: count * rowElements };
  }
}

function writeFully(file: number, data: Float32Array | Uint8Array, offset: number): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, offset + done);
}

/** A hash of the model's files in their current state and of the layout. */
function fingerprint(path: string, layout: unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify([layoutVersion, ...layout]));
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
  throw new Error(`The weights need ${humanBytes(bytes)} on disk, and ${folder} has ${free} free.`);
}

/** Removes files of earlier versions of the model. Processes that have one open can still use it. */
function removeOthers(folder: string, stem: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    const isOther = name.startsWith(stem) && name !== kept && !isBeingWritten(join(folder, name));
    if (isOther) rmSync(join(folder, name), { force: true });
  }
}

/** Whether another process is preparing the same model, such as the server and a training job. */
function isBeingWritten(path: string): boolean {
  if (!path.endsWith(unfinished)) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < abandonedMs;
}

const unfinished = '.unfinished';
/** A file that has not changed for this long belongs to a process that was killed. */
const abandonedMs = 10 * 60_000;
