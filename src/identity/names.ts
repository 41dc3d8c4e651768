import type { ProjectName } from '../contract/ids.ts';
import { invalidInput } from '../util/failures.ts';

export type NameParts = { entity: string; project: string };

const lengthMax = 128;

/** Splits `entity/project`; throws a 400 that describes the error. */
export function parseProjectName(name: string): NameParts {
  const parts = name.split('/');
  const [entity, project] = parts;
  if (parts.length !== 2 || !entity || !project) {
    throw invalidInput(`A project is named "entity/project" (found ${shown(name)}).`);
  }
  const wrong = nameFault('entity', entity) ?? nameFault('project', project);
  if (wrong) throw invalidInput(wrong);
  return { entity, project };
}

export function joinProjectName({ entity, project }: NameParts): ProjectName {
  return `${entity}/${project}` as ProjectName; // the only place that builds a project's name
}

/** Why a string cannot be the name of a user, entity or project; null if it can. */
export function nameFault(what: string, name: string): string | null {
  if (name === '') return `The ${what} needs a name.`;
  if (name.length > lengthMax)
    return `The name of the ${what} can have at most ${lengthMax} characters (found ${name.length}).`;
  if (name.includes('/')) return `The name of the ${what} must not contain "/" (found ${shown(name)}).`;
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    return `The name of the ${what} must not contain control characters (found ${shown(name)}).`;
  }
  return null;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
