import type { Caller } from '../../identity/identity.ts';
import type { Deps } from '../deps.ts';
import { readRefs } from './read-refs.ts';
import { resolveRefs } from './resolve-refs.ts';

/** The values (JSON text, with refs as clients write them) behind refs to objects and ops. */
export type Refs = {
  /**
   * Reads all of these refs, in order; a deleted version is read as JSON's null.
   * @throws Failure if one of them cannot be read
   */
  read(caller: Caller, refs: string[]): Promise<string[]>;
  /** Reads those of the refs that can be read, by ref. */
  resolve(caller: Caller, refs: string[]): Promise<Map<string, string>>;
};

export function openRefs(deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>): Refs {
  return {
    read: (caller, refs) => readRefs(deps, caller, refs),
    resolve: (caller, refs) => resolveRefs(deps, caller, refs),
  };
}
