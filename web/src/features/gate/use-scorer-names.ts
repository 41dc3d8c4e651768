import { useQuery } from '@tanstack/react-query';
import { objectsQuery } from '../../api/objects.ts';
import { useProject } from '../use-project.ts';

/** The rules that need no argument or take it from the row, as scorers by name. */
const ruleNames = ['exact_match', 'contains', 'regex', 'json_schema', 'numeric', 'text_similarity'];

/** The scorers that can be named: rules, and those that are published in the project. */
export function useScorerNames(): string[] {
  const { id: projectId } = useProject();
  const { data: objects = [] } = useQuery(objectsQuery(projectId));
  const published = objects.filter(({ base_object_class }) => base_object_class === 'Scorer');
  return [...new Set([...ruleNames, ...published.map(({ object_id }) => object_id)])];
}
