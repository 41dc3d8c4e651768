import type { ProjectId } from '../../contract/ids.ts';
import { knownHosts } from '../../providers/known-providers.ts';
import {
  findSecret,
  listSecrets,
  listSecretsFor,
  type SealedSecret,
  sealedSecrets,
} from '../../store/postgres/secrets/find-secrets.ts';
import { removeSecret, saveSecret } from '../../store/postgres/secrets/save-secret.ts';
import { findScope, type SecretScope } from '../../store/postgres/secrets/secret-scope.ts';
import { Failure, invalidInput, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { seal, unseal } from './seal.ts';

/** The names of the entity or the project that uses a secret. */
export type SecretOwner = { entity: string; project: string | null };

/** A secret in use. Keep it out of responses, traces, errors and logs. */
export type Secret = {
  name: string;
  value: string;
  /** The hosts it may be sent to; empty: the hosts of any provider. */
  hosts: string[];
};

type ListedSecret = SecretOwner & { name: string; hosts: string[]; updatedAt: Date };

/** The API keys of model providers. The server can use their values, but users can never read them again. */
export type Secrets = {
  /**
   * Sets a secret, or replaces it, and returns the hosts it may be sent to. Without hosts, the key of a well-known
   * provider can only be sent to this provider. @throws Failure for an unknown owner and for an invalid name or value
   */
  set(owner: SecretOwner, secret: Omit<Secret, 'hosts'> & { hosts: string[] | null }): Promise<{ hosts: string[] }>;
  /** Without values. */
  list(): Promise<ListedSecret[]>;
  /** The secrets that a project uses, its own and those of its entity, without values. */
  listFor(project: { entity: string; project: string }): Promise<ListedSecret[]>;
  /** How many there are, and the names of those that cannot be decrypted. */
  check(): Promise<{ count: number; unreadable: string[] }>;
  /** @throws Failure if there is none */
  remove(owner: SecretOwner, name: string): Promise<void>;
  /** The secret that a project uses: its own, otherwise its entity's. Null if there is none. */
  find(projectId: ProjectId, name: string): Promise<Secret | null>;
};

export function openSecrets({ postgres, secretKey }: Pick<Deps, 'postgres' | 'secretKey'>): Secrets {
  return {
    async set({ entity, project }, { name, value, hosts: given }) {
      checkName(name);
      checkValue(value);
      for (const host of given ?? []) checkHost(host);
      const hosts = (given ?? knownHosts(name)).map((host) => host.toLowerCase());
      const scope = await findScope(postgres, entity, project);
      const sealed = seal(secretKey.ensure(), value, labelOf(scope, name));
      await saveSecret(postgres, scope, { name, sealed, hosts });
      return { hosts };
    },

    list: () => listSecrets(postgres),
    listFor: (project) => listSecretsFor(postgres, project),

    async check() {
      const stored = await sealedSecrets(postgres);
      const key = stored.length > 0 && secretKey.exists() ? secretKey.read() : null;
      const isReadable = (each: SealedSecret) => key && unseal(key, each.sealed, labelOf(each, each.name)) !== null;
      return { count: stored.length, unreadable: stored.filter((each) => !isReadable(each)).map(({ name }) => name) };
    },

    async remove({ entity, project }, name) {
      const scope = await findScope(postgres, entity, project);
      if (await removeSecret(postgres, scope, name)) return;
      throw notFound(`There is no secret ${name} in ${project === null ? entity : `${entity}/${project}`}.`);
    },

    async find(projectId, name) {
      const found = await findSecret(postgres, projectId, name);
      if (found === null) return null;
      const value = unseal(secretKey.read(), found.sealed, labelOf(found, name));
      if (value !== null) return { name, value, hosts: found.hosts };
      const advice = 'Use the key it was encrypted with, or set the secret again with `heddle secrets set`.';
      throw new Failure(
        'unavailable',
        `The secret ${name} cannot be decrypted with the key of ${secretKey.source}. ${advice}`,
      );
    },
  };
}

/** Binds a value to its row: in another row it cannot be decrypted. */
function labelOf({ entityId, projectId }: SecretScope, name: string): string {
  return JSON.stringify([entityId, projectId, name]);
}

function checkName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(name)) return;
  throw invalidInput(
    'The name of a secret has up to 128 letters, digits, "_", "." and "-", and begins with a letter or "_", such as OPENAI_API_KEY.',
  );
}

const valueCharactersMax = 8192;

/** The value is sent in a header. The message must not repeat any of it. */
function checkValue(value: string): void {
  if (value === '') throw invalidInput('The value of a secret must not be empty.');
  if (value.length > valueCharactersMax) {
    throw invalidInput(
      `The value of a secret can have at most ${valueCharactersMax} characters (found ${value.length}).`,
    );
  }
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    throw invalidInput(
      'The value of a secret must be one line of printable ASCII characters without spaces around it.',
    );
  }
}

function checkHost(host: string): void {
  if (/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host)) return;
  throw invalidInput(
    `A host is a name or an address, with a port if needed, such as api.example.com (found "${host}").`,
  );
}
