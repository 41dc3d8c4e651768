import { attributes, type Convention } from '../convention.ts';
import { unquoted } from '../unquoted.ts';

/** MLflow, which writes every attribute as JSON: text is in quotes. */
export const mlflow: Convention = {
  inputs: attributes('mlflow.traceInputs'),
  output: attributes('mlflow.traceOutputs'),
  usage: {
    input_tokens: attributes('mlflow.chat.tokenUsage.input_tokens'),
    output_tokens: attributes('mlflow.chat.tokenUsage.output_tokens'),
    total_tokens: attributes('mlflow.chat.tokenUsage.total_tokens'),
    cache_read_input_tokens: attributes('mlflow.chat.tokenUsage.cache_read_input_tokens'),
    cache_creation_input_tokens: attributes('mlflow.chat.tokenUsage.cache_creation_input_tokens'),
  },
  attributes: {
    model: unquoted('mlflow.llm.model'),
    provider: unquoted('mlflow.llm.provider'),
    cost_details: attributes('mlflow.llm.cost'),
  },
  labels: { user_id: unquoted('mlflow.trace.user') },
  kind: unquoted('mlflow.spanType'),
  threadId: unquoted('mlflow.trace.session'),
};
