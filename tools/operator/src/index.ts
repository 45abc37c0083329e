export { runOperator, type OperatorOptions } from './loop/run-operator.ts';
export type { SiteRequest, SiteSource, SourcedSite } from './reconcile/context.ts';
export type { OperatorEvent } from './reconcile/events.ts';
export { operatorMetrics } from './metrics/operator-metrics.ts';
export { operatorObjects, type AdmittedSite } from './install/objects.ts';
export { removeOperator } from './install/remove-operator.ts';
export { CONFIRM_DELETION, MANAGED_KINDS } from './resources/kinds.ts';
export type { ManagedResource } from './resources/types.ts';
