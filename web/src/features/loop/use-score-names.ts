import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { orMissing } from '../../api/missing.ts';
import { isNumber, recordOf } from '../../format/json.ts';
import { fieldName } from '../call/field-paths.ts';
import { useProject } from '../use-project.ts';

/** The scores that the newest feedback of the project has, as training from calls names them. */
export function useScoreNames(): string[] {
  const { id } = useProject();
  return useQuery(scoreNamesQuery(id)).data ?? [];
}

function scoreNamesQuery(projectId: string) {
  return queryOptions({
    queryKey: ['score-names', projectId],
    queryFn: async ({ signal }) => {
      const body = {
        ...{ project_id: projectId, fields: ['feedback_type', 'payload'], limit: newestMax },
        sort_by: [{ field: 'created_at', direction: 'desc' as const }],
      };
      const { result } = await orMissing(ask('POST /feedback/query', { body }, { signal }), { result: [] });
      return scoreNames(result);
    },
    staleTime: 30_000,
  });
}

/** `NAME` of a scorer or an annotation, `feedback.[TYPE].payload.PATH` of other types. */
export function scoreNames(feedback: Record<string, unknown>[]): string[] {
  const names = feedback.flatMap(({ feedback_type, payload }) => {
    const type = String(feedback_type);
    const [, kind, name] = /^wandb\.(runnable|annotation)\.(.+)$/s.exec(type) ?? [];
    if (name === undefined)
      return scoresIn(payload).map((path) =>
        [`feedback.[${type}].payload`, ...path.map((key) => fieldName([key]))].join('.'),
      );
    const value = recordOf(payload)[kind === 'runnable' ? 'output' : 'value'];
    return scoresIn(value).map((path) => [name, ...path.map((key) => fieldName([key]))].join('.'));
  });
  return [...new Set(names)].slice(0, namesMax);
}

/** The paths of numbers and of yes or no within a value. */
function scoresIn(value: unknown, depth = 0): string[][] {
  if (isNumber(value) || typeof value === 'boolean') return [[]];
  if (depth === depthMax) return [];
  return Object.entries(recordOf(value)).flatMap(([key, member]) =>
    scoresIn(member, depth + 1).map((path) => [key, ...path]),
  );
}

const newestMax = 300;
const namesMax = 50;
const depthMax = 3;
