import { type Calls, openCalls } from './calls/calls.ts';
import type { Deps } from './deps.ts';
import { type Objects, openObjects } from './objects/objects.ts';
import { openRefs, type Refs } from './refs/refs.ts';

/**
 * What can be done in a project, for handlers, jobs and the command line alike. A service takes ids of projects, which
 * `identity` gives to those who may use them, and checks everything else by itself.
 */
export type Services = { calls: Calls; objects: Objects; refs: Refs };

export type ServiceSettings = { redacts: boolean };

export function openServices(deps: Deps, settings: ServiceSettings): Services {
  return { calls: openCalls(deps, settings), objects: openObjects(deps), refs: openRefs(deps) };
}
