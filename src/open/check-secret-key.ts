import { hkdfSync } from 'node:crypto';
import { ConfigError } from '../config.ts';
import { openSecrets } from '../services/secrets/secrets.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { findFingerprint, hasProcesses, saveFingerprint } from '../store/postgres/secrets/key-fingerprint.ts';
import type { SecretKey } from '../store/secret-key.ts';

/**
 * Compares the key of this process with that of the deployment, which the first process records. A deployment without secrets
 * gets another key while none of its processes runs. Call it while no other process starts.
 * @throws ConfigError if the key differs
 */
export async function checkSecretKey(postgres: Postgres, secretKey: SecretKey): Promise<void> {
  const own = fingerprintOf(secretKey.read());
  const found = await findFingerprint(postgres);
  if (found === own) return;
  const { count, unreadable } = await openSecrets({ postgres, secretKey }).check();
  const isFree = count === 0 && !(await hasProcesses(postgres));
  const canRead = unreadable.length < count;
  if (found === null ? count > 0 && !canRead : !isFree) throw refusal(postgres, count);
  await saveFingerprint(postgres, own);
}

/** It reveals nothing about a random key, and nothing that is encrypted with it. */
function fingerprintOf(key: Buffer): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'heddle fingerprint of the key', 32)).toString('base64url');
}

function refusal({ schema }: Postgres, secrets: number): ConfigError {
  const advice =
    secrets === 0
      ? 'To change it everywhere, stop all processes first. One that was killed counts for 10 s.'
      : `If the key is lost, stop all processes and delete what is encrypted with it: DELETE FROM ${schema}.secrets; DELETE FROM ${schema}.secret_key`;
  return new ConfigError(
    `HEDDLE_SECRET_KEY differs from the key of this deployment. Set it to the value that its other processes have. ${advice}`,
  );
}
