/** A finished answer or a required call violates its schema: a defect of the grammar. */
export class SchemaViolated extends Error {
  override name = 'SchemaViolated';

  constructor(fault: string) {
    super(`${fault}. This is a defect of the server.`);
  }
}
