import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { GraphqlContext } from './resolvers/context.ts';

/** Functions by type and field. Fields without one are read from their object. */
type Resolvers = Record<string, Record<string, unknown>>;

/**
 * Mutations return the id that the client gave them, as Relay defines it.
 * @throws if a resolver belongs to no field
 */
export function makeSchema(definitions: string[], resolvers: Resolvers[]): GraphQLSchema {
  const schema = buildSchema(definitions.join('\n'));
  for (const [typeName, fields] of resolvers.flatMap((each) => Object.entries(each))) {
    const type = schema.getType(typeName);
    for (const [name, resolve] of Object.entries(fields)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (field === undefined) throw new Error(`The GraphQL schema has no field ${typeName}.${name}.`);
      field.resolve = typeName === 'Mutation' ? withMutationId(resolve as Resolver) : (resolve as Resolver);
    }
  }
  return schema;
}

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;

function withMutationId(resolve: Resolver): Resolver {
  return async (root, args, context, info) => {
    const { clientMutationId } = args.input;
    return { ...((await resolve(root, args, context, info)) as object), clientMutationId };
  };
}
