import {
  IdentifierNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawNode,
  TableNode,
} from 'kysely';

/** Adds a schema to the tables that raw SQL names with `sql.table`. Kysely's plugin does so for its own builders. */
export function qualifyRawTables(schema: string): KyselyPlugin {
  const transformer = new RawTables(schema);
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

class RawTables extends OperationNodeTransformer {
  readonly #schema: string;

  constructor(schema: string) {
    super();
    this.#schema = schema;
  }

  protected override transformRaw(node: RawNode, queryId?: QueryId): RawNode {
    const transformed = super.transformRaw(node, queryId);
    return { ...transformed, parameters: transformed.parameters.map((each) => this.#qualify(each)) };
  }

  #qualify<Node extends RawNode['parameters'][number]>(node: Node): Node {
    if (!TableNode.is(node) || node.table.schema) return node;
    return { ...node, table: { ...node.table, schema: IdentifierNode.create(this.#schema) } };
  }
}
