/**
 * Filters of templates. Each depends only on its arguments, and its result is not larger than they
 * are.
 */
export const TEMPLATE_FILTERS = [
  'default',
  'first',
  'int',
  'join',
  'last',
  'length',
  'lower',
  'replace',
  'sort',
  'trim',
  'upper',
] as const;
export type FilterName = (typeof TEMPLATE_FILTERS)[number];

/** Tests after `is`. */
export const TEMPLATE_TESTS = ['defined', 'none', 'number', 'string', 'undefined'] as const;

/** Supported nodes of nunjucks' syntax tree. */
export const TEMPLATE_NODES: ReadonlySet<string> = new Set(
  (
    'Root NodeList Literal Symbol Group Array Pair Dict Output TemplateData If InlineIf For Macro Caller Import FromImport FunCall Filter ' +
    'KeywordArgs Set Capture LookupVal In Is Or And Not Add Concat Sub Mul Div FloorDiv Mod Pow Neg Pos Compare CompareOperand'
  ).split(' '),
);

/** Maximum nesting of a template. */
export const MAX_NESTING = 400;
