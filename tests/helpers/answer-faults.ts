import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ANSWER_FOLDER, ANSWERS } from '../../ci/reference/answers.ts';
import { REPOSITORY } from './ccp.ts';

/** A schema file of the repository. */
export const readSchema = (path: string): object =>
  JSON.parse(readFileSync(join(REPOSITORY, path), 'utf8')) as object;

const IMAGE_SET = 'tools/release/schemas/image-set.schema.json';

let schemas: Ajv2020 | undefined;

/** Schemas refer to each other by relative paths, so each has its path as an address. */
function allSchemas(): Ajv2020 {
  if (schemas !== undefined) return schemas;
  schemas = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    keywords: ['patternErrorMessage'],
  });
  const answers = readdirSync(join(REPOSITORY, ANSWER_FOLDER)).map(
    (name) => `${ANSWER_FOLDER}/${name}`,
  );
  for (const path of [...answers, IMAGE_SET])
    schemas.addSchema({ ...readSchema(path), $id: addressOf(path) });
  return schemas;
}

const addressOf = (path: string): string => `https://ccp.test/${path}`;

/** Faults of a value, by the schema at `path`. */
export function schemaFaults(path: string, value: unknown): readonly string[] {
  const ajv = allSchemas();
  const check =
    ajv.getSchema(addressOf(path)) ?? ajv.compile({ ...readSchema(path), $id: addressOf(path) });
  if (check(value) === true) return [];
  return check.errors!.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

/** Faults of an answer with `--json` of the command `name`, like `ccp plan`. */
export function answerFaults(name: string, value: unknown): readonly string[] {
  return schemaFaults(ANSWERS[name]!, value);
}
