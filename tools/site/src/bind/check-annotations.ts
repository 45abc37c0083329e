import type { CcpError } from '#core';
import type { Site } from '#definitions';
import { parseTemplate } from '../model/template.ts';
import { siteFindings } from './site-findings.ts';

/** Reports references in annotations. Annotations are passed to the controller unchanged. */
export function checkAnnotations(site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const { expose, apps } = site;
  const check = (
    path: readonly string[],
    annotations: Readonly<Record<string, string>> | undefined,
  ): void => {
    for (const [key, value] of Object.entries(annotations ?? {})) {
      const found = parseTemplate(value).find((piece) => 'reference' in piece);
      if (found !== undefined)
        refuse(
          [...path, key],
          `the annotation "${key}" refers to \${${found.reference}}; references are not allowed in annotations`,
          'write the value itself; $${ is an escaped ${',
        );
    }
  };
  check(['expose', 'ingress', 'annotations'], expose?.ingress?.annotations);
  check(['expose', 'gateway', 'annotations'], expose?.gateway?.annotations);
  for (const [app, { expose: exposed = {} }] of Object.entries(apps)) {
    for (const [endpoint, { annotations }] of Object.entries(exposed))
      check(['apps', app, 'expose', endpoint, 'annotations'], annotations);
  }
  return findings;
}
