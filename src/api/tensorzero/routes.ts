import type { Context } from '../../context.ts';
import { tensorZeroEndpoints } from '../../contract/tensorzero/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { tensorZeroChatCompletions } from './chat-completions.ts';
import { tensorZeroFeedback } from './feedback.ts';
import { tensorZeroInference } from './inference.ts';

export function tensorZeroRoutes(context: Context): Route[] {
  return routesOf(tensorZeroEndpoints, {
    tensorZeroInference: tensorZeroInference(context),
    tensorZeroFeedback: tensorZeroFeedback(context),
    tensorZeroChatCompletions: tensorZeroChatCompletions(context),
  });
}
