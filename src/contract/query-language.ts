/**
 * The query language as the documentation shows it. `domain/query` parses it, because it must distinguish `5` from
 * `5.0`, which a schema over parsed values cannot.
 */
export const queryComponents: Record<string, object> = {
  QueryOperand: {
    anyOf: [
      object({ $literal: { type: ['string', 'integer', 'number', 'boolean', 'null'] } }),
      object({ $getField: { type: 'string', description: 'A column, or a path such as `inputs.user.name`.' } }),
      object({
        $convert: object({
          input: operand(),
          to: { type: 'string', enum: ['double', 'string', 'int', 'bool', 'exists'] },
        }),
      }),
      object({ $size: operand() }),
      { $ref: '#/components/schemas/QueryOperation' },
    ],
  },
  QueryOperation: {
    anyOf: [
      object({ $and: list(operand()) }),
      object({ $or: list(operand()) }),
      object({ $not: tuple(operand()) }),
      ...['$eq', '$gt', '$lt', '$gte', '$lte'].map((operator) => object({ [operator]: tuple(operand(), operand()) })),
      object({ $in: tuple(operand(), list(operand())) }),
      object({
        $contains: {
          ...object({ input: operand(), substr: operand() }),
          properties: {
            input: operand(),
            substr: operand(),
            case_insensitive: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: false },
          },
        },
      }),
    ],
  },
};

/** The query object of a request. */
export const documentedQuery = {
  id: 'Query',
  type: 'object',
  properties: { $expr: { $ref: '#/components/schemas/QueryOperation' } },
  required: ['$expr'],
  additionalProperties: false,
};

function operand() {
  return { $ref: '#/components/schemas/QueryOperand' };
}

function object(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function list(items: object) {
  return { type: 'array', items };
}

function tuple(...prefixItems: object[]) {
  return { type: 'array', prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
}
