import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context.ts';
import type { Caller } from '../../identity/identity.ts';
import type { OpenedRequest } from '../../services/completions/own/opened-request.ts';
import { readHeaders } from '../inference/request-headers.ts';

type Asked = { name: string | null; caller: Caller; headers: IncomingHttpHeaders };

/** The request for the tokenizer of a model, which is not recorded. @throws Failure if there is no such model */
export function openTokenizer(
  { services, config }: Context,
  { name, caller, headers: sent }: Asked,
): Promise<OpenedRequest> {
  const { project } = readHeaders(sent);
  return services.completions.open({ caller, model: name || config.defaultModel, project, record: null });
}
