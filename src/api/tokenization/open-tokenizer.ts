import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context.ts';
import type { Caller } from '../../identity/identity.ts';
import { readHeaders } from '../inference/request-headers.ts';
import { projectOfModelRequest } from '../project.ts';

type Asked = { name: string | null; caller: Caller; headers: IncomingHttpHeaders };

/** The model whose tokenizer a request is for, and whose turn the request takes. @throws Failure if there is no such model */
export async function openTokenizer({ services, config }: Context, { name, caller, headers: sent }: Asked) {
  const model = await services.models.resolve(name || config.defaultModel, caller);
  const tenant = [caller.userId, projectOfModelRequest({ caller, headers: readHeaders(sent), model })] as const;
  return { model, tenant };
}
