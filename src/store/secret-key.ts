import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../util/failures.ts';
import { tighten } from './private-files.ts';

/** The key that secrets are encrypted with. It is never in the database. */
export type SecretKey = {
  /** Its source, for messages. */
  source: string;
  /** The key; created if there is none. */
  ensure(): Buffer;
  exists(): boolean;
  /** The key. @throws Failure if there is none */
  read(): Buffer;
};

export const secretKeyName = 'secret.key';

/** Uses the setting or, without one, a file in the data directory that only its owner can read. */
export function openSecretKey(setting: string, directory: string): SecretKey {
  if (setting !== '') {
    const key = derive(setting);
    return { source: 'HEDDLE_SECRET_KEY', ensure: () => key, exists: () => true, read: () => key };
  }
  const path = join(directory, secretKeyName);
  const read = () => {
    const text = readIfThere(path);
    return text === null ? null : derive(text);
  };
  return {
    source: path,
    ensure: () => read() ?? create(path),
    exists: () => read() !== null,
    read() {
      const key = read();
      if (key) return key;
      const advice = 'Restore it from a backup, set HEDDLE_SECRET_KEY if it was used before, or set the secrets again.';
      throw new Failure('unavailable', `The key of the secrets is missing: ${path} does not exist. ${advice}`);
    },
  };
}

function derive(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text.trim(), '', 'heddle secrets', 32));
}

/** Durable before the first secret is encrypted with it. */
function create(path: string): Buffer {
  const text = randomBytes(32).toString('hex');
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  const directory = openSync(dirname(path), 'r');
  fsyncSync(directory);
  closeSync(directory);
  return derive(text);
}

function readIfThere(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8');
    tighten(path, 0o600);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
