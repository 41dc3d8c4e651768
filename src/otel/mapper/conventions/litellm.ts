import { attributes, type Convention } from '../convention.ts';
import { countInPython } from '../count-in-python.ts';

/** LiteLLM's own callback, which has the details of usage only in the printed Python object. */
export const liteLlm: Convention = {
  usage: {
    cache_read_input_tokens: [countInPython('metadata.usage_object', 'cached_tokens')],
    cache_creation_input_tokens: [countInPython('metadata.usage_object', 'cache_creation_input_tokens')],
    reasoning_tokens: [countInPython('metadata.usage_object', 'reasoning_tokens')],
  },
  attributes: { call_id: attributes('litellm.call_id') },
  threadId: attributes('metadata.requester_metadata.session_id', 'litellm.session_id'),
};
