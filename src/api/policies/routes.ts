import type { Context } from '../../context.ts';
import { policyEndpoints } from '../../contract/policies/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { policyAddVersion } from './add-version.ts';
import { policyCreate } from './create.ts';
import { policyDelete } from './delete.ts';
import { policyEstimate } from './estimate.ts';
import { policyList } from './list.ts';
import { policyRead } from './read.ts';
import { policyUndo } from './undo.ts';

export function policyRoutes(context: Context): Route[] {
  return routesOf(policyEndpoints, {
    policyCreate: policyCreate(context),
    policyList: policyList(context),
    policyRead: policyRead(context),
    policyAddVersion: policyAddVersion(context),
    policyUndo: policyUndo(context),
    policyEstimate: policyEstimate(context),
    policyDelete: policyDelete(context),
  });
}
