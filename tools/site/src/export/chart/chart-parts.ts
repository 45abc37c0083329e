import { yamlText } from '#formats';
import { SET_IMAGE } from './image-values.ts';

/** The oldest Kubernetes that charts are for. */
export const MINIMUM_KUBERNETES = '1.31.0';

/** Chart.yaml. `dependencies` are charts in the folder `charts`. */
export function chartMetadata(
  name: string,
  version: string,
  site: { readonly name: string; readonly series: string },
  dependencies: readonly string[],
): string {
  return yamlText({
    apiVersion: 'v2',
    name,
    description: name === site.name ? `The site ${site.name}` : `${name} of the site ${site.name}`,
    type: 'application',
    version,
    appVersion: site.series,
    kubeVersion: `>=${MINIMUM_KUBERNETES}-0`,
    ...(dependencies.length === 0
      ? {}
      : { dependencies: dependencies.map((each) => ({ name: each, version })) }),
  });
}

/** The template of an image's reference: by tag if there is one, or by digest. */
export const IMAGE_HELPER = `{{- define "${SET_IMAGE}" -}}
{{- $images := (index . 0).Values.global.images -}}
{{- $name := index . 1 -}}
{{- $tag := index ($images.tags | default dict) $name -}}
{{- if $tag -}}
{{ $tag }}
{{- else -}}
{{ printf "%s/%s@%s" $images.registry $name (index $images.digests $name) }}
{{- end -}}
{{- end -}}
`;

/**
 * Addresses in the configuration contain the namespace, so the release cannot be in another one.
 */
export function namespaceGuard(namespace: string): string {
  return `{{- if ne .Release.Namespace "${namespace}" -}}
{{- fail (printf "this chart is for the namespace ${namespace}, not %s: use --namespace ${namespace}, or change namespace in site.yaml and export it again" .Release.Namespace) -}}
{{- end -}}
`;
}

/** NOTES.txt of the chart of a site. */
export function notesText(site: string): string {
  return `The site ${site} is being started: its pods wait for each other, so some stay in Init for minutes.

  kubectl -n {{ .Release.Namespace }} get pods
  kubectl -n {{ .Release.Namespace }} logs POD -c gate    # what a pod waits for
  helm -n {{ .Release.Namespace }} test {{ .Release.Name }}

Secrets and claims of databases stay after "helm uninstall".
`;
}
