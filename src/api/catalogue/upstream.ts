import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** An entry of a list, as its server wrote it. */
export type Entry = { [field: string]: unknown };

/** Another server whose lists are added to ours. */
export type Upstream = {
  /** The entries of the list at a path; none where it cannot be had and never could. */
  entries(path: string): Promise<Entry[]>;
};

type Kept = { entries: Entry[]; until: number };

const freshMs = 5 * 60_000;
const retryMs = 60_000;
const timeoutMs = 5_000;
const bytesMax = 8 * 1024 * 1024;

type Parts = { config: Pick<Context['config'], 'catalogueUrl'>; log: Context['log'] };

/**
 * Lists of the server that the settings name, kept for some minutes. While it fails, what it said last stays, and it is
 * asked again after a minute. Without an address there are none.
 */
export function openUpstream(parts: Parts, now: () => number = Date.now): Upstream {
  const kept = new LRUCache<string, Kept>({ max: 200 });
  const underWay = new Map<string, Promise<Entry[]>>();

  async function renew(path: string): Promise<Entry[]> {
    try {
      const entries = await fetchList(parts.config.catalogueUrl.replace(/\/+$/, '') + path);
      kept.set(path, { entries, until: now() + freshMs });
      return entries;
    } catch (error) {
      parts.log.warn({ err: error, path }, 'the upstream catalogue could not be read');
      const entries = kept.get(path)?.entries ?? [];
      kept.set(path, { entries, until: now() + retryMs });
      return entries;
    } finally {
      underWay.delete(path);
    }
  }

  return {
    async entries(path) {
      if (parts.config.catalogueUrl === '') return [];
      const known = kept.get(path);
      if (known && now() < known.until) return known.entries;
      const asked = underWay.get(path) ?? renew(path);
      underWay.set(path, asked);
      return asked;
    },
  };
}

async function fetchList(url: string): Promise<Entry[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  const list = entriesOf(parsePlain(await boundedText(response)));
  if (list === null) throw new Error('it answered with no list under data, hardware or models');
  return list;
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error(`its answer is larger than ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** A list alone, or under the names that such lists go by. */
function entriesOf(value: unknown): Entry[] | null {
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'object' && entry !== null);
  if (typeof value !== 'object' || value === null) return null;
  const { data, hardware, models } = value as Entry;
  const list = data ?? hardware ?? models;
  return Array.isArray(list) ? entriesOf(list) : null;
}
