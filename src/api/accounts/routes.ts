import type { Context } from '../../context.ts';
import { accountEndpoints } from '../../contract/accounts/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { keyCreate } from './key-create.ts';
import { keyRevoke } from './key-revoke.ts';
import { keysList } from './keys-list.ts';
import { memberAdd } from './member-add.ts';
import { memberRemove } from './member-remove.ts';
import { membersList } from './members-list.ts';

export function accountRoutes(context: Context): Route[] {
  return routesOf(accountEndpoints, {
    keysList: keysList(context),
    keyCreate: keyCreate(context),
    keyRevoke: keyRevoke(context),
    membersList: membersList(context),
    memberAdd: memberAdd(context),
    memberRemove: memberRemove(context),
  });
}
