export { findingLines } from './findings.ts';
export { checkedObjects, renderChecked } from './render-checked.ts';
export { appText, siteInputs } from './site-input.ts';
export { TINY, tinySite, type TinySite } from './tiny-site.ts';
