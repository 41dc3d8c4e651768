import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trainingPage, trainingPageQuery } from '../training-page.ts';
import { optional, text } from '../wire.ts';
import { group, path, trainedModel } from './trained-model.ts';

export const trainedModelList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Models',
  description: "Lists the models of a project, oldest first. The entity defaults to the caller's default entity.",
  errors: 'detail',
  query: trainingPageQuery.extend({ entity: optional(text()), project: text(), name: optional(z.string()) }),
  answer: { kind: 'json', schema: trainingPage(trainedModel, 'TrainedModelPage') },
});
