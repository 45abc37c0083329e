export { layOutSite, renderSite } from './render-site.ts';
export type * from './types.ts';
