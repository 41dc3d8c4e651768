import type { Postgres } from '../store/postgres/postgres.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { type Caller, type Callers, openCallers } from './callers.ts';
import { type Members, openMembers } from './members.ts';
import { openProjects, type Projects } from './projects.ts';
import { openSessions, type Session, type Sessions } from './sessions.ts';

export type { Caller, Session };

/**
 * Authenticates callers and decides what they may access: a key belongs to a user, a user to entities, a project to one
 * entity.
 */
export type Identity = Pick<Callers, 'authenticate' | 'findCaller' | 'findUser' | 'findOwner'> &
  Omit<Sessions, 'forget'> &
  Omit<Projects, 'forgetMemberships'> &
  Accounts &
  Members;

export function openIdentity(postgres: Postgres): Identity {
  const { authenticate, findCaller, findUser, findOwner, forget } = openCallers(postgres);
  const { forget: forgetSessions, ...sessions } = openSessions(postgres);
  const { forgetMemberships, ...projects } = openProjects(postgres);
  const forgetCallers = () => {
    forget();
    forgetSessions();
  };
  const onRemoved = () => {
    forgetMemberships();
    forgetCallers(); // their default entity may have changed
  };
  return {
    ...{ authenticate, findCaller, findUser, findOwner },
    ...sessions,
    ...projects,
    ...openAccounts(postgres, forgetCallers),
    ...openMembers(postgres, onRemoved),
  };
}
