export { buildGraph } from './build-graph.ts';
export { renderDot, renderMermaid } from './render-diagram.ts';
export { renderTree } from './render-tree.ts';
export { selectImages } from './select-images.ts';
export { seriesMembers, type SeriesAbsence } from './series-members.ts';
export type * from './types.ts';
