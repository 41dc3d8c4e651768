import type { Context } from '../../context.ts';
import type { loopDelete as endpoint } from '../../contract/loops/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function loopDelete({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    await services.loops.delete(await ownerForRead({ identity }, input), input.params.name);
    return {};
  };
}
