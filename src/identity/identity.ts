import type { Postgres } from '../store/postgres/postgres.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { type Caller, type Callers, openCallers } from './callers.ts';
import { openProjects, type Projects } from './projects.ts';

export type { Caller };

/**
 * Authenticates callers and decides what they may access: a key belongs to a user, a user to entities, a project to one
 * entity.
 */
export type Identity = Pick<Callers, 'authenticate' | 'findCaller' | 'findOwner'> & Projects & Accounts;

export function openIdentity(postgres: Postgres): Identity {
  const { authenticate, findCaller, findOwner, forget } = openCallers(postgres);
  return { authenticate, findCaller, findOwner, ...openProjects(postgres), ...openAccounts(postgres, forget) };
}
