import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { secretKeyName } from '../store/secret-key.ts';
import { canBeShared, type Kinds } from './kinds.ts';

/**
 * Processes that share their stores need one key, so none of them makes its own.
 * @throws ConfigError if the setting is missing
 */
export function requireSecretKey({ secretKey }: Config, kinds: Kinds, directory: string): void {
  if (secretKey !== '' || !canBeShared(kinds)) return;
  const file = join(directory, secretKeyName);
  const advice = existsSync(file)
    ? `Set it to the content of ${file}, for all of them: HEDDLE_SECRET_KEY="$(cat ${file})"`
    : 'Set it to the same value for all of them. To generate one: openssl rand -hex 32';
  throw new ConfigError(
    `HEDDLE_SECRET_KEY is not set. It is required when all stores are on servers, because several processes can use them. ${advice}`,
  );
}
