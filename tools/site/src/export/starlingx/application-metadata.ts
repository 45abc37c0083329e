import { yamlText } from '#formats';
import { MINIMUM_KUBERNETES } from '../chart/chart-parts.ts';
import type { ApplicationName } from './application.ts';

/**
 * metadata.yaml. An update is allowed from any version of the same series and of the series before
 * it; StarlingX compares whole versions with the patterns. An update keeps user overrides.
 */
export function applicationMetadata({ name, version }: ApplicationName, series: string): string {
  return yamlText({
    app_name: name,
    app_version: version,
    class: 'optional',
    maintain_user_overrides: true,
    upgrades: {
      auto_update: false,
      from_versions: [series, ...previousSeries(series)].map(
        (from) => `${from.replaceAll('.', String.raw`\.`)}-[0-9]+`,
      ),
    },
    supported_k8s_version: { minimum: MINIMUM_KUBERNETES },
  });
}

/** The OpenStack series before one with two numbers: 2026.1 follows 2025.2. */
function previousSeries(series: string): readonly string[] {
  const [, year, half] = /^(\d{4})\.([12])$/.exec(series) ?? [];
  if (year === undefined) return [];
  return [half === '2' ? `${year}.1` : `${Number(year) - 1}.2`];
}
