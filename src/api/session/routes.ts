import type { Context } from '../../context.ts';
import { sessionEndpoints } from '../../contract/session/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { sessionRead } from './read.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

export function sessionRoutes(context: Context): Route[] {
  return routesOf(sessionEndpoints, {
    signIn: signIn(context),
    sessionRead: sessionRead(),
    signOut: signOut(context),
  });
}
