export { findPlainSecrets } from './plain-secrets.ts';
export { podsOf, type RenderedPod } from './pods-of.ts';
export type { EnvVar } from './env.ts';
export type { PodContainer, PodSpec, PodVolume } from './kubernetes.ts';
export { layOutSite, renderSite } from './render-site.ts';
export type * from './types.ts';
