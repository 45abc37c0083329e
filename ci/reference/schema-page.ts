/** A JSON schema, or any part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema, the file that its references are relative to, and the references that led here. */
interface Place {
  readonly schema: Schema;
  readonly file: Schema;
  readonly path: readonly string[];
}

/** Reads a schema file by the name that a reference has for it. */
export type LoadSchema = (name: string) => Schema;

interface Row {
  readonly key: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The page of one YAML file: every key of its schema, by the path that leads to it. */
export function schemaPage(schema: Schema, load: LoadSchema): string {
  const [title, description] = [schema['title'], schema['description']] as [string, string];
  return [
    `# ${title}`,
    cell(description),
    '`<name>` is a key that the file chooses, `[]` an item of a list.',
    schemaTable(schema, load),
  ].join('\n\n');
}

/** A table of every key of a schema. */
export function schemaTable(schema: Schema, load: LoadSchema): string {
  const table = rowsOf({ schema, file: schema, path: [] }, '', false, load)
    .filter(({ key }) => key !== '')
    .map(
      ({ key, schema: { description: text = '', ...rest }, required }) =>
        `| \`${key}\` | ${typeText(rest)} | ${cell(`${text as string}${required ? ' **Required.**' : ''}`)} |`,
    );
  return ['| key | type | meaning |', '|---|---|---|', ...table].join('\n');
}

function rowsBelow(place: Place, prefix: string, load: LoadSchema): readonly Row[] {
  const { schema } = place;
  const required = (schema['required'] ?? []) as readonly string[];
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const named = schema['additionalProperties'];
  if (typeof named === 'object') members.push(['<name>', named as Schema]);
  const own = members.flatMap(([name, member]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    return rowsOf({ ...place, schema: member }, key, required.includes(name), load);
  });
  const keys = new Set(own.map(({ key }) => key));
  const more = branchesOf(schema).flatMap((branch) => {
    const resolved = resolve({ ...place, schema: branch }, load);
    return resolved === undefined ? [] : rowsBelow(resolved, prefix, load);
  });
  return [...own, ...more.filter((row) => isDescribed(row) && !keys.has(row.key))];
}

/** A key and all keys below it. */
function rowsOf(place: Place, key: string, required: boolean, load: LoadSchema): readonly Row[] {
  const resolved = resolve(place, load);
  if (resolved === undefined) return [{ key, schema: place.schema, required }];
  const { schema } = resolved;
  const items = schema['items'];
  if (typeof items !== 'object' || items === null)
    return [{ key, schema, required }, ...rowsBelow(resolved, key, load)];
  const item = resolve({ ...resolved, schema: items as Schema }, load);
  const below = item === undefined ? [] : rowsBelow(item, `${key}[]`, load);
  return [{ key, schema, required }, ...below];
}

function branchesOf(schema: Schema): readonly Schema[] {
  return ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap(
    (word) => [schema[word] ?? []].flat() as unknown as readonly Schema[],
  );
}

function isDescribed({ schema }: Row): boolean {
  return schema['description'] !== undefined;
}

/**
 * The schema behind `$ref`, merged with the keys next to it; undefined for a recursive reference.
 */
function resolve(place: Place, load: LoadSchema): Place | undefined {
  const { $ref, ...own } = place.schema;
  if (typeof $ref !== 'string') return place;
  if (place.path.includes($ref)) return undefined;
  const [name = '', pointer = ''] = $ref.split('#');
  const file = name === '' ? place.file : load(name);
  const found = pointer
    .split('/')
    .filter(Boolean)
    .reduce<unknown>((at, key) => (at as Schema)[key], file);
  const base = resolve({ schema: found as Schema, file, path: [...place.path, $ref] }, load);
  return base === undefined ? undefined : { ...base, schema: { ...base.schema, ...own } };
}

function typeText(schema: Schema): string {
  const { enum: choices, const: only, default: value, items } = schema;
  const alternatives = branchesOf({ anyOf: schema['anyOf'] ?? schema['oneOf'] });
  const types = schema['type'] === undefined ? alternatives.flatMap(typesOf) : typesOf(schema);
  const given =
    only !== undefined
      ? code(only)
      : Array.isArray(choices)
        ? choices.map(code).join(', ')
        : [...new Set(types)].join(' or ');
  const list = given === 'array' && items !== undefined ? 'list' : given;
  return cell(`${list}${value === undefined ? '' : ` (default ${code(value)})`}`);
}

function typesOf({ type = 'value' }: Schema): readonly string[] {
  return [type as string | readonly string[]].flat();
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
