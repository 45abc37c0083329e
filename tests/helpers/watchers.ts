/** The apps of this repository that watch a cloud: metrics, alerts and logs. */
export const WATCHERS = [
  'alertmanager',
  'blackbox-exporter',
  'mysqld-exporter',
  'node-exporter',
  'otel-collector',
  'victoria-logs',
  'victoria-metrics',
] as const;
