import type { Instance } from './instance.ts';

/**
 * The names of an instance's schedules that are enabled: by the site, otherwise by the default of
 * the app spec.
 */
export function enabledSchedules({
  spec,
  settings,
}: Pick<Instance, 'spec' | 'settings'>): readonly string[] {
  return Object.entries(spec.schedule ?? {})
    .filter(([key, { enabled }]) => settings.schedule?.[key]?.enabled ?? enabled)
    .map(([key]) => key);
}
