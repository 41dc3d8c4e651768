import { Link } from '@tanstack/react-router';
import { projectUrl } from '../../urls.ts';
import { useProject } from '../use-project.ts';

/** Links to the form that sets the price of a model. */
export function SetPrice({ models }: { models: string[] }) {
  const project = useProject();
  return models.map((model) => (
    <Link key={model} to={projectUrl(project, 'settings')} search={{ tab: 'prices', model } as never}>
      Set a price for {model}
    </Link>
  ));
}
