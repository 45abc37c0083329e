export { readBundle } from './bundle/read-bundle.ts';
export { setSignature, setSigner } from './bundle/set-signature.ts';
export { writeBundle } from './bundle/write-bundle.ts';
export { setAppSpec } from './app-spec-artifact.ts';
export { imageSetText, parseImageSet } from './image-set.ts';
export { checkSetContent, type CheckedContent } from './publish/check-content.ts';
export { findImages } from './publish/find-images.ts';
export type { PublishedImage } from './publish/image-record.ts';
export { manifestParts } from './oci.ts';
export { loadImages } from './publish/load-images.ts';
export {
  parsePlace,
  readWhole,
  repositoryOf,
  setsRepository,
  type Place,
} from './publish/place.ts';
export { publishChart } from './publish/publish-chart.ts';
export { publishSet, type Published } from './publish/publish-set.ts';
export { readStatement } from './publish/read-statement.ts';
export { setArtifact } from './publish/set-artifact.ts';
export { signManifest } from './publish/statements.ts';
export { findSet, setMissing, trustedSet, type FoundSet } from './publish/verify-set.ts';
export {
  newKeyPair,
  publicKeyOf,
  signerOf,
  type KeyType,
  type PublicKey,
  type Signer,
} from './sign/keys.ts';
export {
  changelogLines,
  findChangelog,
  previousRelease,
  type Changelog,
} from './releases/changelog.ts';
export {
  diffPackages,
  packageLines,
  type PackageChange,
  type PackagesByImage,
} from './releases/diff-packages.ts';
export { diffLines, diffSets } from './releases/diff-sets.ts';
export { listReleases, releaseLines } from './releases/list-releases.ts';
export { mirrorRelease } from './releases/mirror.ts';
export { promoteRelease, rollBackAlias } from './releases/promote.ts';
export {
  createRelease,
  listVersions,
  trustedRelease,
  type TrustedRelease,
} from './releases/releases.ts';
export { setProvenance, setSource, type SetSource } from './releases/set-source.ts';
export { checkNewVersion } from './releases/versions.ts';
export {
  parseSchemaChanges,
  SCHEMA_CHANGES_FILE,
  type SchemaChange,
  type SchemaRevision,
  type SchemaRevisions,
} from './schema-changes.ts';
export type * from './types.ts';
export { checkInstalled } from './statements/check-installed.ts';
export { withDebianSources } from './statements/debian-sources.ts';
export { imagePurl } from './statements/subject.ts';
export { purlOf, pythonName } from './statements/purl.ts';
export type * from './statements/types.ts';
