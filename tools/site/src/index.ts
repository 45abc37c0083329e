export type { AppSpec, Site } from '#definitions';
export type { SchemaRevisions } from '#release';
export { bind, boundOrThrow } from './bind/bind.ts';
export { expiringAuthorities } from './bind/expiring-authorities.ts';
export { identityOf, type SiteIdentity } from './bind/identity.ts';
export { parseParameters } from './bind/parameters.ts';
export { findPlainSecrets } from './bind/plain-secrets.ts';
export { instancesOfUnnamedNodes } from './bind/unnamed-nodes.ts';
export { explainKey } from './explain/explain-key.ts';
export { explanationLines } from './explain/explanation.ts';
export { chartFiles } from './export/chart/chart-files.ts';
export { chartVersion } from './export/chart/chart-version.ts';
export { type Application, type ApplicationName } from './export/starlingx/application.ts';
export { applicationFiles } from './export/starlingx/application-files.ts';
export {
  checkApplication,
  type CheckedApplication,
} from './export/starlingx/check/check-application.ts';
export type { ApplicationFinding } from './export/starlingx/check/findings.ts';
export { yamlFiles } from './export/yaml-files.ts';
export { addGates } from './gates/add-gates.ts';
export { gateImage } from './gates/gate-image.ts';
export type { Bound } from './model/bound.ts';
export { contentOf } from './model/content-of.ts';
export type { EnvVar, PodContainer, PodVolume } from './model/kubernetes.ts';
export {
  APPLY_SET_KINDS,
  APPLY_SET_NAMESPACES,
  applySetId,
  contentHash,
  groupKind,
  isApplySet,
  ROLE,
  SERIES,
  WRITER,
} from './model/labels.ts';
export { generationOf, replicasOf, secretName } from './model/names.ts';
export {
  type Home,
  keyOf,
  kindOfKey,
  type ObjectKey,
  refOf,
  refOfKey,
} from './model/object-key.ts';
export { objectsOf } from './model/objects-of.ts';
export { OPERATOR_LABELS, OPERATOR_METRICS_PORT, OPERATOR_NAME } from './model/operator-place.ts';
export { renderedNamespaces } from './model/rendered-namespaces.ts';
export { podsOf, type RenderedPod } from './model/pods-of.ts';
export { EXPOSE_KINDS, FIELD_MANAGER, otherKindsOf, SITE_KINDS } from './model/site-kinds.ts';
export type {
  ParameterValues,
  RenderedAction,
  RenderedSite,
  SiteInput,
  Step,
} from './model/types.ts';
export { defaultsOf, withValues } from './render/parameters.ts';
export { ACTION_LABEL } from './render/render-actions.ts';
export { render } from './render/render.ts';
