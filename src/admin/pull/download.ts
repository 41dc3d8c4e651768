import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, toApiError } from '../../contract/errors.ts';
import { digestOf } from './digest.ts';
import type { HubFile } from './hub.ts';

/** Where bytes come from; `refuse` gives the error for an answer that is not a success. */
export type Origin = { url: string; fetch: typeof fetch; refuse(status: number): ApiError };

type Options = { signal: AbortSignal; onBytes(count: number): void };

const triesMax = 5;
const firstWaitMs = 250;
/** A connection that is silent for so long counts as broken. */
const silenceMsMax = 60_000;

/**
 * Brings a file whole and checked to `target`, or throws. What came stays in `target.part`: the next call, after a broken
 * connection or an end of the process, goes on from there.
 */
export async function download(file: HubFile, origin: Origin, target: string, options: Options): Promise<void> {
  if (existsSync(target)) return options.onBytes(file.sizeBytes); // only a checked file has this name
  const part = `${target}.part`;
  options.onBytes(Math.min(await sizeOf(part), file.sizeBytes));
  for (const isLast of [false, true]) {
    await fetchAll(file, origin, part, options);
    const found = await digestOf(part, file);
    if (found === file.digest.hex) return rename(part, target);
    await rm(part);
    options.onBytes(-file.sizeBytes);
    if (isLast) {
      throw new ApiError(
        502,
        `${file.path} was corrupted twice in transfer: its digest is ${found}, expected ${file.digest.hex}. Run the command again later.`,
      );
    }
  }
}

/** Fetches until all bytes are there; gives up after some tries in a row that brought nothing. */
async function fetchAll(file: HubFile, origin: Origin, part: string, options: Options): Promise<void> {
  let tries = 0;
  for (;;) {
    const before = await sizeOf(part);
    if (before === file.sizeBytes && existsSync(part)) return;
    try {
      await fetchOnce(file, origin, part, options);
    } catch (error) {
      options.signal.throwIfAborted();
      const known = toApiError(error);
      if (known !== null && known.status < 500) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw full(file, error);
      tries = (await sizeOf(part)) > before ? 1 : tries + 1;
      if (tries >= triesMax) throw known !== null ? error : broken(file, error as Error);
      await wait(firstWaitMs * 2 ** (tries - 1), undefined, { signal: options.signal });
    }
  }
}

async function fetchOnce(file: HubFile, { url, fetch, refuse }: Origin, part: string, options: Options): Promise<void> {
  const silence = watchSilence(options.signal);
  const handle = await open(part, existsSync(part) ? 'r+' : 'w+');
  try {
    const had = (await handle.stat()).size;
    const headers: Record<string, string> = { 'accept-encoding': 'identity' };
    if (had > 0) headers.range = `bytes=${had}-`;
    const response = await fetch(url, { headers, signal: silence.signal });
    if (!response.ok && response.status !== 416) throw refuse(response.status);
    const start = response.status === 206 ? startOf(response) : 0; // whoever knows no ranges sends all
    if (response.status === 416 || start !== had) await restart(handle, had, options);
    if (response.status === 416 || (start !== 0 && start !== had)) throw new Error('it answered another range');
    await write(handle, response, start, file, silence.heard, options);
  } finally {
    silence.stop();
    await handle.close();
  }
}

async function restart(handle: FileHandle, had: number, options: Options): Promise<void> {
  await handle.truncate(0);
  options.onBytes(-had);
}

async function write(
  handle: FileHandle,
  response: Response,
  start: number,
  file: HubFile,
  heard: () => void,
  options: Options,
): Promise<void> {
  let position = start;
  for await (const bytes of response.body ?? []) {
    heard();
    if (position + bytes.length > file.sizeBytes) {
      await restart(handle, position, options);
      throw new Error(`it sent more than the ${file.sizeBytes} bytes it listed`);
    }
    await handle.write(bytes, 0, bytes.length, position);
    position += bytes.length;
    options.onBytes(bytes.length);
  }
  await handle.sync();
  if (position < file.sizeBytes) throw new Error(`it ended after ${position} of ${file.sizeBytes} bytes`);
}

function watchSilence(signal: AbortSignal) {
  const silent = new AbortController();
  const giveUp = () => silent.abort(new Error(`it was silent for ${silenceMsMax / 1000} seconds`));
  const timer = setTimeout(giveUp, silenceMsMax);
  return {
    signal: AbortSignal.any([signal, silent.signal]),
    heard: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}

/** Where a partial answer begins, by its `Content-Range: bytes 5-9/10`. */
function startOf(response: Response): number {
  const [, start] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? [];
  return start === undefined ? Number.NaN : Number(start);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found?.size ?? 0;
}

function full(file: HubFile, cause: unknown): ApiError {
  const reason = `The disk is full: ${file.path} could not be stored. Free some space and run the command again to resume.`;
  return new ApiError(507, reason, {}, { cause });
}

function broken(file: HubFile, error: Error): ApiError {
  const why = error.cause instanceof Error ? error.cause.message : error.message;
  const reason = `Downloading ${file.path} failed repeatedly (${why}). Run the command again to resume.`;
  return new ApiError(502, reason, {}, { cause: error });
}
