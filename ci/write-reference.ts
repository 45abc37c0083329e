import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference/pages.ts';

// Writes docs/reference from schemas, commands and codes: npm run docs.
const root = new URL('..', import.meta.url).pathname;
const folder = join(root, 'docs/reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of await referencePages(root)) writeFileSync(join(folder, name), text);
