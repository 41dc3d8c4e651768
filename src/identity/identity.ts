import type { Peers } from '../store/peers/peers.ts';
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
export type Identity = Callers & Sessions & Projects & Accounts & Members;

export function openIdentity(postgres: Postgres, peers: Peers): Identity {
  return {
    ...openCallers(postgres, peers),
    ...openSessions(postgres, peers),
    ...openProjects(postgres, peers),
    ...openAccounts(postgres, peers),
    ...openMembers(postgres, peers),
  };
}
