import { useQuery } from '@tanstack/react-query';
import { servedModelsQuery } from '../../api/chat-models.ts';
import type { Suite } from '../../api/gates.ts';
import type { Policy } from '../../api/policies.ts';
import { parseObjectRef } from '../../refs.ts';
import { useDatasetColumns } from '../gate/use-dataset-columns.ts';
import { useProject } from '../use-project.ts';
import type { Derived, LoopForm } from './loop-form.ts';

export type DerivedWithChoices = Derived & {
  /** The columns of the suite. */
  columns: string[];
  /** The base models that heddle serves. */
  bases: string[];
};

/** What follows from the suite and the policy of the form, until something else is typed. */
export function useDerived(form: LoopForm, suites: Suite[], policies: Policy[]): DerivedWithChoices {
  const { id: projectId } = useProject();
  const suite = suites.find(({ name }) => name === form.suite);
  const { name = '', digest = '' } = parseObjectRef(suite?.dataset) ?? {};
  const columns = useDatasetColumns(name, digest);
  const { data: served = [] } = useQuery(servedModelsQuery(projectId));
  const bases = served.filter(({ parent }) => parent == null).map(({ id }) => id);
  const version = policies.find((each) => each.name === form.policy)?.version;
  const inUse = version?.variants.find((variant) => variant.name === version.incumbent)?.model;
  const asked = columns.includes('user_input') ? undefined : questionColumns.find((each) => columns.includes(each));
  return {
    ...{ columns, bases },
    message: asked === undefined ? '' : `{${asked}}`,
    base: inUse !== undefined && bases.includes(inUse) ? inUse : '',
  };
}

/** What a column is called that has what users ask. Models are asked the column `user_input` without a message. */
const questionColumns = ['question', 'prompt', 'input', 'text', 'message'];
