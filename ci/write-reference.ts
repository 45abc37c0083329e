import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCK_SCHEMA, lockSchemaText } from './reference/lock-schema-file.ts';
import { referencePages } from './reference/pages.ts';

// Writes docs/reference from schemas, commands and codes, and the schema of locks: npm run docs.
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of await referencePages(root)) writeFileSync(join(folder, name), text);
mkdirSync(dirname(join(root, LOCK_SCHEMA)), { recursive: true });
writeFileSync(join(root, LOCK_SCHEMA), await lockSchemaText());
