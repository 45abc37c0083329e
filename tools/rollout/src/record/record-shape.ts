import { isRecord, parseJson } from '#core';

type Check = (value: unknown) => boolean;
/** The checks of a document's members by name. */
export type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const seconds: Check = (value) => typeof value === 'number' && value >= 0;
const choice =
  (...texts: readonly string[]): Check =>
  (value) =>
    texts.includes(value as string);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const mapOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const fits =
  (shape: Shape): Check =>
  (value) =>
    wrongMember(value, shape) === undefined;

/** Parts that the objects of a revision can have; the largest sites have 2. */
const MAX_PARTS = 200;
const OBJECT = fits({
  apiVersion: text,
  kind: text,
  metadata: fits({
    name: text,
    namespace: optional(text),
    labels: optional(mapOf(text)),
    annotations: optional(mapOf(text)),
  }),
});

export const RECORD: Shape = {
  site: text,
  revision: number,
  state: choice('running', 'good', 'failed'),
  content: text,
  startedAt: text,
  endedAt: optional(text),
  by: text,
  rollbackTo: optional(number),
  failures: optional(listOf(text)),
  images: mapOf(text),
  secrets: listOf(text),
  members: optional(mapOf(number)),
  schemas: optional(mapOf(isRecord)),
  series: optional(text),
  hop: optional(fits({ from: text, to: text, between: listOf(text) })),
  seconds: optional(mapOf(seconds)),
  parts: (value) => number(value) && (value as number) <= MAX_PARTS,
};

export const RENDERED: Shape = {
  series: optional(text),
  foundation: listOf(OBJECT),
  steps: listOf(
    fits({
      id: text,
      instance: optional(text),
      phase: text,
      waitsFor: listOf(text),
      wave: number,
      objects: listOf(OBJECT),
      together: optional(listOf(text)),
      leave: optional(text),
      retires: optional(listOf(text)),
    }),
  ),
  secrets: listOf(isRecord),
  actions: optional(listOf(fits({ id: text }))),
  schemas: optional(mapOf(isRecord)),
};

export const ENTRY: Shape = {
  step: text,
  phase: text,
  revision: number,
  image: text,
  at: text,
  order: optional(number),
  data: optional(mapOf(text)),
  replaced: optional(mapOf(text)),
};

export const RUN: Shape = {
  run: number,
  action: text,
  kind: text,
  parameters: mapOf((value) => ['string', 'number', 'boolean'].includes(typeof value)),
  revision: number,
  job: text,
  state: choice('running', 'good', 'failed'),
  startedAt: text,
  endedAt: optional(text),
  by: text,
  replaces: optional(text),
  reason: optional(text),
  schemas: optional(mapOf(listOf(text))),
};

/** Parses JSON from the cluster. Throws an error that names a missing or invalid member. */
export function parseShape(json: string, shape: Shape): unknown {
  const value = parseJson(json);
  const wrong = wrongMember(value, shape);
  if (wrong !== undefined) throw new TypeError(wrong);
  return value;
}

/** Why a value does not have a shape; undefined if it has. Other members are allowed. */
export function wrongMember(value: unknown, shape: Shape): string | undefined {
  if (!isRecord(value)) return 'it is not an object';
  const wrong = Object.entries(shape).find(
    ([name, check]) => !check(Object.hasOwn(value, name) ? value[name] : undefined),
  );
  return wrong === undefined ? undefined : `its member "${wrong[0]}" is missing or invalid`;
}
