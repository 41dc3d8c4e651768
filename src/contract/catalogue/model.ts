import { z } from 'zod';
import { int } from '../wire.ts';

/** The path segment that selects a list: a provider in the price data, or any other name. */
export const providerParams = z.object({ provider: z.string() });

const catalogueModelSchema = z
  .looseObject({
    context_length: int().optional(),
    created: int().optional(),
    datacenters: z.array(z.looseObject({})).optional(),
    deprecation_date: z.string().nullable().optional(),
  })
  .meta({
    id: 'CatalogueModel',
    description:
      'Beside these: id, name, hugging_face_id, input_modalities, output_modalities, quantization, max_output_length, ' +
      'pricing (dollars for one unit, as text), supported_sampling_parameters, supported_features. ' +
      'What is not known is left out.',
  });

export const catalogueModelsSchema = z.object({ data: z.array(catalogueModelSchema) }).meta({ id: 'CatalogueModels' });
