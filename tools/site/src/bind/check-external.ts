import type { CcpError } from '#core';
import type { AppSpec, ContainerTemplate, Site } from '#definitions';
import { SECRETS_IMAGE } from './images-of.ts';
import { siteFindings } from './site-findings.ts';

/** A container or job that runs an image. */
interface Place {
  readonly image: string;
  /** `WORKLOAD.CONTAINER`, or the name of a job. */
  readonly place: string;
  readonly job: boolean;
}

/**
 * Reports external images that no app of the site runs, Kolla images of another series, and
 * commands and bootstraps of unknown containers and jobs.
 */
export function checkExternal(site: Site, specs: readonly AppSpec[]): readonly CcpError[] {
  const { findings, refuse, known } = siteFindings(site);
  const { external = {} } = site;
  const places = specs.flatMap((spec) => placesOf(spec, specs));
  const used = new Set([...specs.map(({ name }) => name), ...places.map(({ image }) => image)]);
  for (const [image, definition] of Object.entries(external)) {
    const { reference, runtime, commands = {}, bootstrap = {} } = definition;
    const path = ['external', image];
    const series = runtime === 'kolla' ? kollaSeries(reference) : undefined;
    if (series !== undefined && series !== site.series)
      refuse(
        [...path, 'reference'],
        `the Kolla image "${image}" is of the series ${series}, but the site is of ${site.series}`,
        `use the image with a tag that starts with ${site.series}`,
      );
    if (image !== SECRETS_IMAGE) known(path, 'no app of the site runs the image', image, used);
    const here = places.filter((each) => each.image === image);
    if (here.length === 0) continue;
    for (const place of Object.keys(commands))
      known(
        [...path, 'commands', place],
        `the image "${image}" runs in no container or job`,
        place,
        here.map((each) => each.place),
      );
    for (const place of Object.keys(bootstrap))
      known(
        [...path, 'bootstrap', place],
        `the image "${image}" runs in no job`,
        place,
        here.filter(({ job }) => job).map((each) => each.place),
      );
    if (runtime !== 'kolla' && Object.keys(bootstrap).length > 0)
      refuse(
        [...path, 'bootstrap'],
        `"bootstrap" needs runtime: kolla, but the runtime of "${image}" is ${runtime}`,
        'set runtime: kolla, or set the command: external.IMAGE.commands',
      );
  }
  return findings;
}

/**
 * The series in the tag of a Kolla image, such as 2026.1 in `2026.1-debian-trixie`; `undefined`
 * without a tag or with a tag of another form.
 */
function kollaSeries(reference: string): string | undefined {
  return /:(\d{4}\.\d|master)(?:-[^/@]*)?@/.exec(reference)?.[1];
}

function placesOf(spec: AppSpec, specs: readonly AppSpec[]): Place[] {
  const of = (
    place: string,
    { image = spec.name as NonNullable<ContainerTemplate['image']> }: ContainerTemplate,
    job: boolean,
  ): Place => ({
    image,
    place,
    job,
  });
  const containers = Object.entries(spec.workloads).flatMap(([workload, definition]) =>
    Object.entries(definition.containers).map(([name, container]) =>
      of(`${workload}.${name}`, container, false),
    ),
  );
  const jobs = [spec.jobs, spec.actions, spec.checks].flatMap((each) =>
    Object.entries(each ?? {}).map(([name, job]) => of(name, job, true)),
  );
  const setups = Object.values(spec.provides ?? {}).flatMap(({ kind, setup, retire }) =>
    setup === undefined
      ? []
      : requirementsOf(kind, specs).flatMap((name) =>
          ['setup', ...(retire === undefined ? [] : ['retire'])].map((job) =>
            of(`${job}-${name}`, setup, true),
          ),
        ),
  );
  return [...containers, ...jobs, ...setups];
}

function requirementsOf(kind: string, specs: readonly AppSpec[]): string[] {
  return [
    ...new Set(
      specs.flatMap(({ requires = {} }) =>
        Object.keys(requires).filter((name) => requires[name]!.kind === kind),
      ),
    ),
  ];
}
