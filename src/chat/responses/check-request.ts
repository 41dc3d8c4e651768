import type { ResponseRequest } from '../../contract/responses/request.ts';
import { invalidInput } from '../../util/failures.ts';

const includable = [
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];
const metadataMax = { keys: 16, key: 64, value: 512 };

/** @throws Failure for features that this endpoint does not support, and for values out of range */
export function checkResponseRequest(body: ResponseRequest): void {
  if (body.conversation != null) {
    throw invalidInput('conversation is not supported. Continue with previous_response_id.', { param: 'conversation' });
  }
  if (body.prompt != null) {
    throw invalidInput('prompt (a stored prompt template) is not supported. Send instructions and input.', {
      param: 'prompt',
    });
  }
  if (body.background && body.store === false) {
    throw invalidInput('background needs store: the response is retrieved later.', { param: 'background' });
  }
  if (body.background && body.stream) {
    throw invalidInput('background cannot be streamed. Retrieve the response until it has ended.', {
      param: 'background',
    });
  }
  const unknown = body.include?.find((each) => !includable.includes(each));
  if (unknown !== undefined) {
    throw invalidInput(`include has ${JSON.stringify(unknown)}; it takes ${includable.join(', ')}.`, {
      param: 'include',
    });
  }
  checkMetadata(body.metadata ?? {});
}

function checkMetadata(metadata: Record<string, string>): void {
  const entries = Object.entries(metadata);
  const isTooLong = entries.some(([key, value]) => key.length > metadataMax.key || value.length > metadataMax.value);
  if (entries.length <= metadataMax.keys && !isTooLong) return;
  throw invalidInput(
    `metadata may have ${metadataMax.keys} keys of ${metadataMax.key} characters with values of ${metadataMax.value}.`,
    { param: 'metadata' },
  );
}
