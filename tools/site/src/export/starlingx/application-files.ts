import type { KubernetesObject } from '#ports';
import type { Bound } from '../../model/bound.ts';
import type { SiteInput } from '../../model/types.ts';
import { render } from '../../render/render.ts';
import { chartVersion } from '../chart/chart-version.ts';
import type { ExportFile } from '../export-file.ts';
import type { Application } from './application.ts';
import { applicationCharts } from './application-charts.ts';
import { applicationMetadata } from './application-metadata.ts';
import { fluxManifests } from './flux-manifests.ts';

/** Choices of an export for StarlingX. */
export interface ApplicationChoices {
  readonly name: string;
  /** Last part of the versions of the application and of its charts. */
  readonly number: number;
}

/**
 * The application of a site for StarlingX: a chart for each instance and one for the other objects,
 * with gates, and the files that StarlingX reads. `sources` are further files.
 * Throws `application-invalid`.
 */
export function applicationFiles(
  bound: Bound,
  input: SiteInput,
  { name, number }: ApplicationChoices,
  sources: readonly ExportFile[],
): Application {
  const { site } = bound;
  const version = `${site.series}-${number}`;
  const charts = applicationCharts(bound, input, chartVersion(site.series, number));
  return {
    name,
    version,
    charts,
    files: [
      { path: 'metadata.yaml', text: applicationMetadata({ name, version }, site.series) },
      ...fluxManifests(charts, namespaceOf(bound)),
      ...sources,
    ],
  };
}

/** The namespace of a site, without the labels of its ApplySet: Flux owns it. */
function namespaceOf(bound: Bound): KubernetesObject {
  const { namespace } = bound.site;
  const { metadata } = render(bound).foundation.find(
    ({ kind, metadata: { name } }) => kind === 'Namespace' && name === namespace,
  )!;
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) =>
    key.startsWith('pod-security.kubernetes.io/'),
  );
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespace,
      ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    },
  };
}
