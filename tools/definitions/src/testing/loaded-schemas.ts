import { join } from 'node:path';
import { loadSchema } from '../json-schema.ts';

export const SCHEMAS = join(import.meta.dirname, '../../schemas');

export const imageSchema = loadSchema(join(SCHEMAS, 'image.schema.json'));

export const seriesSchema = loadSchema(join(SCHEMAS, 'series.schema.json'));
