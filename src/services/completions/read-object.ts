import { parseRef } from '../../domain/refs.ts';
import type { Caller } from '../../identity/identity.ts';
import { notFound } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import type { Objects } from '../objects/objects.ts';
import type { Project } from '../owner.ts';

export type ObjectReader = {
  /**
   * The members of an object, named by a ref, as `name:version`, or by its name, which means the latest version.
   * @throws Failure if there is none
   */
  read(what: string, word: string, of: { project: Project; caller: Caller }): Promise<Record<string, JsonText>>;
};

export function openObjectReader({ identity }: Pick<Deps, 'identity'>, objects: Objects): ObjectReader {
  return {
    async read(what, word, { project, caller }) {
      const ref = parseRef(word);
      const missing = () => notFound(`${what} ${word.slice(0, 300)} not found.`);
      if (word.startsWith('weave://') && (ref?.kind !== 'object' || ref.steps.length > 0)) throw missing();
      const [objectId, version] = ref?.kind === 'object' ? [ref.name, ref.digest] : nameAndVersion(word);
      const projectId = ref ? await identity.projectForRead(caller, `${ref.entity}/${ref.project}`) : project.id;
      const found = await objects.find({ projectId, objectId, kind: 'object' }, version, { caller, withValues: true });
      if (found?.value == null) throw missing();
      const value = parseJson(found.value, { keep: { '*': true } });
      if (value === null || typeof value !== 'object' || Array.isArray(value)) throw missing();
      return value as Record<string, JsonText>;
    },
  };
}

function nameAndVersion(word: string): [name: string, version: string] {
  const colon = word.indexOf(':');
  return colon < 0 ? [word, 'latest'] : [word.slice(0, colon), word.slice(colon + 1) || 'latest'];
}

/** The member of an object that is a string; null if there is none. */
export function stringMember(members: Record<string, JsonText>, name: string): string | null {
  const found = Object.hasOwn(members, name) ? members[name] : undefined;
  return found?.kind === 'string' ? (JSON.parse(found.text) as string) : null;
}

/** The member of an object, parsed; undefined if there is none. */
export function parsedMember(members: Record<string, JsonText>, name: string): unknown {
  return Object.hasOwn(members, name) ? parsePlain(members[name]!.text) : undefined;
}

/** The elements of a member that is a list; null if there is none. */
export function listMember(members: Record<string, JsonText>, name: string): JsonText[] | null {
  const found = Object.hasOwn(members, name) ? members[name] : undefined;
  return found?.kind === 'array' ? (parseJson(found.text, { keep: { '*': true } }) as JsonText[]) : null;
}
