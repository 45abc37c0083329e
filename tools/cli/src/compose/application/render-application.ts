import { parse, stringify } from 'yaml';
import { type ApplicationSite, mergeValues, type HostedWorkload } from '#application';
import type { ApplicationSources, Overrides } from '#application';
import { CcpError, findingsIn, isRecord, omitUndefined, throwFindings } from '#core';
import { bind, boundOrThrow, identityOf, render, replicasOf, type Bound } from '#site';
import type { SiteIdentity, SiteInput } from '#site';
import type { ImageSet } from '#release';
import { conflictRules } from '../deploy/conflict-rules.ts';
import { sourcesInput } from '../starlingx/application-sources.ts';

/** The site of an application, with its input and its identity service. */
export interface RenderedApplication extends ApplicationSite {
  readonly input: SiteInput & { readonly imageSet: ImageSet };
  readonly identity?: SiteIdentity;
}

/**
 * Renders an application from its sources, with overrides merged into the apps of its site. Throws
 * the errors of `sourcesInput` and `bind`; with overrides, as `application-overrides`.
 */
export function renderApplication(
  name: string,
  sources: ApplicationSources,
  overrides: Overrides,
): RenderedApplication {
  const hasOverrides = Object.keys(overrides).length > 0;
  try {
    const input = sourcesInput(sources, name, (text) =>
      hasOverrides ? withOverrides(text, overrides) : text,
    );
    return rendered(input, boundOrThrow(bind(input)));
  } catch (thrown) {
    const findings = findingsIn(thrown);
    if (!hasOverrides) throw thrown;
    throwFindings(
      findings.map(
        ({ message, hint }) =>
          new CcpError({
            code: 'application-overrides',
            message: `${name} cannot be rendered with its overrides: ${message}`,
            ...omitUndefined({ hint }),
          }),
      ),
    );
    throw thrown;
  }
}

/** The text of a site with overrides merged into its apps. */
function withOverrides(text: string, overrides: Overrides): string {
  const site = parse(text) as { readonly apps?: Readonly<Record<string, unknown>> };
  const apps = Object.entries(site.apps ?? {}).map(([app, values]) => {
    const own = isRecord(values) ? values : {};
    return [app, mergeValues(own, overrides[app] ?? {})] as const;
  });
  return stringify({ ...site, apps: Object.fromEntries(apps) });
}

function rendered(input: RenderedApplication['input'], bound: Bound): RenderedApplication {
  const { site } = input;
  return {
    input,
    site: { name: site.name, namespace: site.namespace },
    rendered: render(bound),
    rules: conflictRules({}, site),
    roles: site.roles,
    needed: [...new Set(bound.steps.flatMap(({ work }) => roleOf(work)))].sort(),
    workloads: [...bound.instances.values()].flatMap((instance): readonly HostedWorkload[] =>
      Object.entries(instance.spec.workloads).flatMap(([workload, definition]) =>
        definition.kind === 'DaemonSet'
          ? []
          : [
              {
                instance: instance.name,
                workload,
                role: definition.role,
                replicas: replicasOf(instance, workload, definition),
                odd: definition.replicas.rule === 'odd',
                spread: definition.spread,
              },
            ],
      ),
    ),
    charts: [...bound.instances.keys()],
    ...omitUndefined({ identity: identityOf(bound) }),
  };
}

function roleOf(work: Bound['steps'][number]['work']): readonly string[] {
  if (work.kind === 'job') return [work.role];
  return work.kind === 'workload' ? [work.workload.role] : [];
}
