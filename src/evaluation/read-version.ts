import { parseRef } from '../domain/refs.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import type { Services } from '../services/services.ts';
import { invalidInput, notFound } from '../util/failures.ts';
import { isObject } from '../util/json/own-member.ts';
import { parsePlain } from '../util/json/parse.ts';

/** A version of an object. */
export type Version = {
  /** Its address, with its digest. */
  ref: string;
  name: string;
  /** The name of its class, such as `LLMAsAJudgeScorer`; empty if it has none. */
  className: string;
  value: Record<string, unknown>;
};

/** Reads the version that a ref refers to. @throws Failure if there is none, or it is not an object with members */
export type ReadVersion = (ref: string) => Promise<Version>;

export function versionReader(
  { identity, services }: { identity: Pick<Identity, 'projectForRead'>; services: Pick<Services, 'objects'> },
  caller: Caller,
): ReadVersion {
  return async (uri) => {
    const ref = parseRef(uri);
    if (ref === null) {
      throw invalidInput(
        `Invalid ref ${JSON.stringify(uri.slice(0, 200))}: expected weave:///entity/project/object/name:digest`,
      );
    }
    if (ref.kind === 'op')
      throw invalidInput(`${uri} is an op, which the server cannot run because its code is Python.`);
    if (ref.kind !== 'object' || ref.steps.length > 0) throw invalidInput(`${uri} is not the ref of an object.`);
    const projectId = await identity.projectForRead(caller, `${ref.entity}/${ref.project}`);
    const name = { projectId, objectId: ref.name, kind: 'object' as const };
    const found = await services.objects.find(name, ref.digest, { caller, withValues: true });
    if (found === null) throw notFound(`${uri} not found`);
    if (found.value === null) throw notFound(`${uri} was deleted`);
    const value: unknown = parsePlain(found.value);
    if (!isObject(value)) throw invalidInput(`${uri} is not an object with fields.`);
    return {
      ref: `weave:///${ref.entity}/${ref.project}/object/${ref.name}:${found.digest}`,
      name: ref.name,
      className: typeof value._class_name === 'string' ? value._class_name : '',
      value,
    };
  };
}
