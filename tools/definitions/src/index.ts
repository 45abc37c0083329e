export * from './deploy/index.ts';
export * from './json-schema.ts';
export * from './parse-yaml.ts';
export { readWorkspace } from './read-workspace.ts';
export { isWorkspace, readLayers, SERIES_FILE } from './workspace-layers.ts';
export { runMemo } from './run-memo.ts';
export * from './series-lookup.ts';
export * from './size.ts';
export type * from './types.ts';
