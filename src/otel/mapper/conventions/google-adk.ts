import { attributes, type Convention } from '../convention.ts';

/** Google's Agent Development Kit. */
export const googleAdk: Convention = {
  inputs: attributes('gcp.vertex.agent.data'),
  attributes: {
    model: attributes('gcp.vertex.agent.llm_request.model'),
    model_parameters: attributes('gcp.vertex.agent.llm_request.config'),
  },
  labels: { user_id: attributes('gcp.vertex.agent.user_id') },
};
