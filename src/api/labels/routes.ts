import type { Context } from '../../context.ts';
import { labelEndpoints } from '../../contract/labels/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { objAddTags } from './add-tags.ts';
import { objListAliases } from './list-aliases.ts';
import { objListTags } from './list-tags.ts';
import { objRemoveAliases } from './remove-aliases.ts';
import { objRemoveTags } from './remove-tags.ts';
import { objSetAliases } from './set-aliases.ts';

export function labelRoutes(context: Context): Route[] {
  return routesOf(labelEndpoints, {
    objListAliases: objListAliases(context),
    objListTags: objListTags(context),
    objSetAliases: objSetAliases(context),
    objRemoveAliases: objRemoveAliases(context),
    objAddTags: objAddTags(context),
    objRemoveTags: objRemoveTags(context),
  });
}
