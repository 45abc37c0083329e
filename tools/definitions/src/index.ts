export * from './deploy/index.ts';
export * from './json-schema.ts';
export * from './parse-yaml.ts';
export type * from './types.ts';
