import type { Context } from '../../context.ts';
import { gateEndpoints } from '../../contract/gates/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { gateCancel } from './cancel.ts';
import { gateCreate } from './create.ts';
import { gateList } from './list.ts';
import { gatePublicKey } from './public-key.ts';
import { gateRead } from './read.ts';
import { gateVerdict } from './verdict.ts';

export function gateRoutes(context: Context): Route[] {
  return routesOf(gateEndpoints, {
    gateCreate: gateCreate(context),
    gateList: gateList(context),
    gateRead: gateRead(context),
    gateCancel: gateCancel(context),
    gateVerdict: gateVerdict(context),
    gatePublicKey: gatePublicKey(context),
  });
}
