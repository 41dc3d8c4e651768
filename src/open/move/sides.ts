import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, ConfigError, environmentName, readConfig, settingsOfServers } from '../../config.ts';
import type { S3Credentials } from '../../store/blobs/s3/open.ts';
import { storePaths } from '../../store/data-directory.ts';
import { type Kinds, namedKinds } from '../kinds.ts';

/** The source or the target of a move. */
export type Side = {
  /** As the command names it: `embedded`, `env`, or a file with variables. */
  word: string;
  config: Config;
  kinds: Kinds;
  /** Null for those of the environment. */
  credentials: S3Credentials | null;
};

type Environment = Record<string, string | undefined>;

/**
 * `embedded` is the data directory, `env` what the variables of the environment name, and anything else a file with such
 * variables.
 * @throws ConfigError
 */
export function sideOf(word: string, data: string, environment: Environment): Side {
  const side = (config: Config, credentials: S3Credentials | null = null): Side => {
    return { word, config, kinds: namedKinds(config, storePaths(data)), credentials };
  };
  if (word === 'env') return side(readConfig({ data }, environment));
  if (word === 'embedded')
    return side(readConfig({ data }, without(environment, settingsOfServers.map(environmentName))));
  const variables = readVariables(word);
  return side(
    explained(word, () => readConfig({ data }, variables)),
    credentialsOf(word, variables),
  );
}

function without(environment: Environment, names: string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

function readVariables(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `--from and --to are embedded, env, or a file with variables such as HEDDLE_POSTGRES_URL; ${file} cannot be read (${code ?? message}).`,
    );
  }
}

function explained<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${file}: ${error.message}`) : error;
  }
}

function credentialsOf(file: string, variables: Environment): S3Credentials | null {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = variables;
  if (!id && !secret) return null;
  if (!id || !secret) {
    throw new ConfigError(
      `${file}: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together. Give both, or neither.`,
    );
  }
  return { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
}
