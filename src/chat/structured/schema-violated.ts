/** A finished answer, or a required call, that violates its schema, which is a defect of the grammar. */
export class SchemaViolated extends Error {
  override name = 'SchemaViolated';

  constructor(fault: string) {
    super(`${fault}. This is a defect of the server.`);
  }
}
