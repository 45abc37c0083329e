import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * A value as YAML that readers of YAML 1.1, such as kubectl and Helm, understand in the same way.
 */
export function objectText(value: object): string {
  const { stringify } = require('yaml') as typeof import('yaml');
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' });
}
