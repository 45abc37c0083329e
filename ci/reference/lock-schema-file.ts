import { format } from 'prettier';
import { lockSchema } from '../../tools/locks/src/lock-schema.ts';

/** Path of the lock's schema, relative to the repository. */
export const LOCK_SCHEMA = 'tools/locks/schemas/lock.schema.json';

/** The schema that checks locks, as a file for editors and other programs. */
export function lockSchemaText(): Promise<string> {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lock',
    description: 'Exact versions of all inputs of an image: images/NAME/lock/SERIES.yaml.',
    ...lockSchema,
  };
  return format(JSON.stringify(schema, undefined, 2), { parser: 'json', printWidth: 100 });
}
