import type { ShownApplication } from '#application';

/** An application as one line. */
export function applicationLine(application: ShownApplication): string {
  const { name, version, state, revision, interrupted, holder, site } = application;
  const place = site === undefined ? '' : `, site ${site.name} in ${site.namespace}`;
  const last = revision === undefined ? '' : `, revision ${revision}`;
  const run =
    interrupted === true ? ' (interrupted)' : holder === undefined ? '' : ` (by ${holder})`;
  return `${name} ${version} is ${state}${run}${place}${last}`;
}

/** An application with the reason of its state and its last change. */
export function applicationLines(application: ShownApplication): readonly string[] {
  const { name, state, reason, interrupted, from, by, at } = application;
  return [
    applicationLine(application),
    ...(from === undefined ? [] : [`  from ${from.version}, revision ${from.revision}`]),
    ...(reason === undefined ? [] : [`  reason: ${reason}`]),
    ...(interrupted === true
      ? [`  its run was killed; continue it, or end it: ccp application abort ${name}`]
      : []),
    `  ${state} since ${at} by ${by}`,
  ];
}

/** An application as JSON. */
export function applicationJson({ format: _, from, ...rest }: ShownApplication): object {
  return {
    ...rest,
    ...(from === undefined ? {} : { from: { version: from.version, revision: from.revision } }),
  };
}
