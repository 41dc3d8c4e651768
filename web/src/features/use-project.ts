import { useParams } from '@tanstack/react-router';
import { type ProjectAddress, projectIdOf } from '../urls.ts';

/** The project of the page, from its address. `id` is what requests call it. */
export function useProject(): ProjectAddress & { id: string } {
  const { entity = '', project = '' } = useParams({ strict: false }) as Partial<ProjectAddress>;
  return { entity, project, id: projectIdOf({ entity, project }) };
}
