/**
 * Types that clients look up by name before they send an operation, and that heddle has nothing for. Old clients do not
 * survive null for an unknown type, so each exists with the fields that say "not supported".
 */
export const introspectedSchema = /* GraphQL */ `
  "What the server says to users who start a run: nothing."
  type ServerSettings {
    serverMessages: [ServerMessage!]!
  }

  type ServerMessage {
    utfText: String
    plainText: String
    htmlText: String
    messageType: String
    messageLevel: String
  }

  input CreateRunQueueInput {
    queueName: String
  }

  input PushToRunQueueInput {
    queueID: ID
  }

  input FailRunQueueItemInput {
    runQueueItemId: ID
  }

  input CreateLaunchAgentInput {
    entityName: String
  }
`;
