/** The GraphQL operations by which wandb clients log an artifact. */
export const artifactOperations = {
  create: `mutation Create($input: CreateArtifactInput!) { createArtifact(input: $input) { artifact { id } } }`,
  place: `mutation Place($files: [CreateArtifactFileSpecInput!]!) {
    createArtifactFiles(input: { artifactFiles: $files, storageLayout: V2 }) { files { edges { node { uploadUrl } } } } }`,
  manifest: `mutation Manifest($id: ID!, $digest: String!) {
    createArtifactManifest(input: { artifactID: $id, name: "wandb_manifest.json", digest: $digest, entityName: "e", projectName: "p", type: FULL }) {
      artifactManifest { file { uploadUrl } } } }`,
  commit: `mutation Commit($id: ID!) { commitArtifact(input: { artifactID: $id }) { artifact { id state } } }`,
};
