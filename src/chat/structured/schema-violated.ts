/** A finished answer that violates the schema of its request, which is a defect of the grammar. */
export class SchemaViolated extends Error {
  override name = 'SchemaViolated';

  constructor(place: string) {
    super(
      place === 'JSON'
        ? 'The answer is not JSON, although its request has a JSON schema. This is a defect of the server.'
        : `The answer violates the schema of its request at ${place}. This is a defect of the server.`,
    );
  }
}
