import type { Context } from '../../context.ts';
import { chatEndpoints } from '../../contract/chat/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { chatCompletions } from './completions.ts';

export function chatRoutes(context: Context): Route[] {
  return routesOf(chatEndpoints, {
    chatCompletions: chatCompletions(context),
  });
}
