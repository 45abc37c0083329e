export type * from './app-spec.ts';
export type * from './config-spec.ts';
export type * from './container-parts.ts';
export type * from './site.ts';
export { parameterFault } from './check-actions.ts';
export {
  type AppSpecListing,
  listAppSpecs,
  parseAppSpec,
  readAppSpecs,
  readAppSpecsOf,
  readOverlayAppSpecs,
} from './read-app-spec.ts';
export { parseSite, readSite, siteNames } from './read-site.ts';
export type * from './volume.ts';
