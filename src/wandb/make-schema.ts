import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { GraphqlContext } from './resolvers/context.ts';

/** Functions by type and field. Fields without one are read from their object. */
type Resolvers = Record<string, Record<string, unknown>>;

/** @throws if a resolver belongs to no field */
export function makeSchema(definitions: string[], resolvers: Resolvers[]): GraphQLSchema {
  const schema = buildSchema(definitions.join('\n'));
  for (const [typeName, fields] of resolvers.flatMap((each) => Object.entries(each))) {
    const type = schema.getType(typeName);
    for (const [name, resolve] of Object.entries(fields)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (field === undefined) throw new Error(`The GraphQL schema has no field ${typeName}.${name}.`);
      field.resolve = resolve as GraphQLFieldResolver<unknown, GraphqlContext>;
    }
  }
  return schema;
}
