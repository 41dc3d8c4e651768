import type { ProjectName } from '../../contract/ids.ts';
import type { TrainedModel } from '../../services/training/models.ts';

export function trainedModelAnswer({ id, name, baseModel }: TrainedModel, projectName: ProjectName) {
  const [entity = '', project = ''] = projectName.split('/');
  return { id, entity, project, name, base_model: baseModel, run_id: name }; // clients open a run of this name themselves
}
