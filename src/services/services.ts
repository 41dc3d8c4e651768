import { type Calls, openCalls } from './calls/calls.ts';
import { type Costs, openCosts } from './costs/costs.ts';
import type { Deps } from './deps.ts';
import { type Evaluations, openEvaluations } from './evaluations/evaluations.ts';
import { type Feedback, openFeedback } from './feedback/feedback.ts';
import { type Files, openFiles } from './files/files.ts';
import { type Objects, openObjects } from './objects/objects.ts';
import { openRefs, type Refs } from './refs/refs.ts';
import { openResources, type Resources } from './resources/resources.ts';
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
  resources: Resources;
  tables: Tables;
  files: Files;
  feedback: Feedback;
  costs: Costs;
  evaluations: Evaluations;
  spans: Spans;
};

export type ServiceSettings = { redacts: boolean };

export function openServices(deps: Deps, settings: ServiceSettings): Services {
  const objects = openObjects(deps);
  const tables = openTables(deps);
  const files = openFiles(deps);
  const calls = openCalls(deps, settings);
  const feedback = openFeedback(deps);
  return {
    calls,
    objects,
    refs: openRefs(deps),
    tables,
    files,
    resources: openResources({ objects, tables, files }),
    feedback,
    costs: openCosts(deps),
    evaluations: openEvaluations(deps, { calls, feedback }),
    spans: openSpans(deps),
  };
}
