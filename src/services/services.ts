import { type Calls, openCalls } from './calls/calls.ts';
import { type Costs, openCosts } from './costs/costs.ts';
import type { Deps } from './deps.ts';
import { type Feedback, openFeedback } from './feedback/feedback.ts';
import { type Files, openFiles } from './files/files.ts';
import { type Objects, openObjects } from './objects/objects.ts';
import { openRefs, type Refs } from './refs/refs.ts';
import { openSpans, type Spans } from './spans/spans.ts';
import { openTables, type Tables } from './tables/tables.ts';

/**
 * What can be done in a project, for handlers, jobs and the command line alike. A service takes ids of projects, which
 * `identity` gives to those who may use them, and checks everything else by itself.
 */
export type Services = {
  calls: Calls;
  objects: Objects;
  refs: Refs;
  tables: Tables;
  files: Files;
  feedback: Feedback;
  costs: Costs;
  spans: Spans;
};

export type ServiceSettings = { redacts: boolean };

export function openServices(deps: Deps, settings: ServiceSettings): Services {
  return {
    calls: openCalls(deps, settings),
    objects: openObjects(deps),
    refs: openRefs(deps),
    tables: openTables(deps),
    files: openFiles(deps),
    feedback: openFeedback(deps),
    costs: openCosts(deps),
    spans: openSpans(deps),
  };
}
