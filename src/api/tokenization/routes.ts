import type { Context } from '../../context.ts';
import { tokenizationEndpoints } from '../../contract/tokenization/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { detokenize } from './detokenize.ts';
import { tokenize } from './tokenize.ts';
import { tokenizerInfo } from './tokenizer-info.ts';

export function tokenizationRoutes(context: Context): Route[] {
  return routesOf(tokenizationEndpoints, {
    tokenize: tokenize(context),
    detokenize: detokenize(context),
    tokenizerInfo: tokenizerInfo(context),
  });
}
