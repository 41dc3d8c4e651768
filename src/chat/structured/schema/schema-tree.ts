import { isObject } from '../../../util/json/own-member.ts';

export type Schema = Record<string, unknown>;

/** A schema and all schemas inside it, by place: JSON pointers that start with `#`. */
export class SchemaTree {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @throws if there is no schema at this place */
  at(place: string): Schema | boolean {
    const found = this.value(place);
    if (typeof found !== 'boolean' && !isObject(found)) throw new Error(`${place} must be an object or a boolean`);
    return found;
  }

  value(place: string): unknown {
    let found = this.#root;
    for (const step of place.split('/').slice(1)) {
      const isInside = (isObject(found) || Array.isArray(found)) && Object.hasOwn(found, unescapeStep(step));
      found = isInside ? (found as Schema)[unescapeStep(step)] : undefined;
    }
    return found;
  }

  /** The place that a `$ref` at another place points to. */
  target(reference: unknown, place: string): string {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
      throw new Error(`${place}/$ref must point into the schema itself, got ${JSON.stringify(reference)}`);
    }
    let target: string;
    try {
      target = reference
        .split('/')
        .map(decodeURIComponent)
        .map(unescapeStep)
        .slice(1)
        .reduce((all, step) => inside(all, step), '#');
    } catch {
      throw new Error(`${place}/$ref ${JSON.stringify(reference)} is not a URI fragment`);
    }
    if (this.value(target) === undefined) throw new Error(`${place}/$ref points to ${reference}, which is not there`);
    return target;
  }
}

/** The place of a keyword, or of a name below it. */
export function inside(place: string, ...steps: (string | number)[]): string {
  return [place, ...steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
