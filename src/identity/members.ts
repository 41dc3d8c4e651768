import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { conflict, invalidInput, notFound } from '../util/failures.ts';
import { insertUser, inTransaction } from './accounts.ts';
import { nameFault } from './names.ts';
import { ensureEntity } from './projects.ts';

type Member = { username: string; isOwner: boolean };

/** Who belongs to an entity. The owner of the server belongs to every one. */
export type Members = {
  /** By name; at most `membersListedMax`. */
  listMembers(entity: string): Promise<Member[]>;
  /** Creates the user, and the entity, if there is none with this name. @throws Failure if the user is a member already */
  addMember(entity: string, username: string): Promise<Member & { isNewUser: boolean }>;
  /** Ends a user's access to the projects of an entity. @throws Failure if the user is not a member, or is the owner */
  removeMember(entity: string, username: string): Promise<void>;
};

const membersListedMax = 2000;

export function openMembers(postgres: Postgres, peers: Peers): Members {
  return {
    listMembers: (entity) =>
      postgres.db
        .selectFrom('users')
        .select(['users.username', 'users.is_owner as isOwner'])
        .where(({ or, eb }) =>
          or([
            eb('users.is_owner', '=', true),
            eb('users.id', 'in', selectMembership(postgres, entity).select('user_id')),
          ]),
        )
        .orderBy('users.username')
        .limit(membersListedMax)
        .execute(),

    async addMember(entity, username) {
      return inTransaction(postgres, async ({ db }) => {
        const user = await findUser({ db }, username);
        if (!user) {
          await insertUser({ db }, username, entity, false);
          return { username, isOwner: false, isNewUser: true };
        }
        if (user.isOwner) throw conflict(`${username} owns this server and belongs to every entity.`);
        const fault = nameFault('entity', entity);
        if (fault) throw invalidInput(fault);
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('memberships')
          .values({ user_id: user.id, entity_id: await ensureEntity({ db }, entity) })
          .onConflict((on) => on.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 0n) throw conflict(`${username} is already a member of ${entity}.`);
        return { username, isOwner: false, isNewUser: false };
      });
    },

    async removeMember(entity, username) {
      const userId = await inTransaction(postgres, async ({ db }) => {
        const user = await findUser({ db }, username, true); // two removals would each choose the entity of the other as default
        if (user?.isOwner) throw conflict(`${username} owns this server and belongs to every entity.`);
        const membership = await selectMembership({ db }, entity)
          .select('entity_id')
          .where('user_id', '=', user?.id ?? '')
          .executeTakeFirst();
        if (!user || !membership) throw notFound(`${username} is not a member of ${entity}.`);
        await db
          .deleteFrom('memberships')
          .where('user_id', '=', user.id)
          .where('entity_id', '=', membership.entity_id)
          .execute();
        await chooseDefaultEntity({ db }, user.id, membership.entity_id);
        return user.id;
      });
      await peers.notify('memberships', userId);
    },
  };
}

type Store = Pick<Postgres, 'db'>;

function findUser({ db }: Store, username: string, locks = false) {
  return db
    .selectFrom('users')
    .select(['id', 'is_owner as isOwner'])
    .where('username', '=', username)
    .$if(locks, (users) => users.forNoKeyUpdate())
    .executeTakeFirst();
}

function selectMembership({ db }: Store, entity: string) {
  return db
    .selectFrom('memberships')
    .innerJoin('entities', 'entities.id', 'memberships.entity_id')
    .where('entities.name', '=', entity);
}

/** New projects of a user who has left their default entity go to another one of theirs. */
async function chooseDefaultEntity({ db }: Store, userId: string, left: string): Promise<void> {
  const other = await db
    .selectFrom('memberships')
    .select('entity_id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .executeTakeFirst();
  if (!other) return;
  await db
    .updateTable('users')
    .set({ default_entity_id: other.entity_id })
    .where('id', '=', userId)
    .where('default_entity_id', '=', left)
    .execute();
}
