export { runOperator, type OperatorOptions } from './loop/run-operator.ts';
export type { SiteRequest, SiteSource, SourcedSite } from './reconcile/context.ts';
export type { OperatorEvent } from './reconcile/events.ts';
