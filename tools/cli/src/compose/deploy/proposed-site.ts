import { CcpError, CcpErrors, formatPosition, omitUndefined, throwFindings } from '#core';
import type { Site } from '#definitions';
import { parseSite } from '#definitions/deploy';
import type { RenderedSite } from '#site';
import type { CommandContext } from '../../command.ts';
import { renderedSite, type SetFlags } from './open-site.ts';

/** An argument that changes a site, and the path of the value it sets. */
export interface SiteChange {
  readonly argument: string;
  readonly path: readonly string[];
}

/**
 * Parses and renders a site after the changes of arguments. Errors of the unchanged site are thrown
 * as by `renderedSite`; errors of the changes name the arguments, since their lines are in no file.
 */
export function proposedSite(
  context: CommandContext,
  before: Site,
  text: string,
  changes: readonly SiteChange[],
  flags: SetFlags,
): { readonly site: Site; readonly rendered: RenderedSite } {
  const file = `deploy-specs/${before.name}/site.yaml`;
  let site: Site | undefined;
  try {
    site = parseSite(text, file, before.name);
    return { site, rendered: renderedSite(context, site, flags) };
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    renderedSite(
      { root: context.root, output: { ...context.output, warn: () => undefined } },
      before,
      flags,
    );
    throwFindings(blame(thrown, file, changes, site));
    throw thrown;
  }
}

/** Replaces positions in the proposed file by the arguments that caused the findings. */
export function blame(
  thrown: CcpError,
  file: string,
  changes: readonly SiteChange[],
  site?: Pick<Site, 'position'>,
): readonly CcpError[] {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  return findings.map((finding) => {
    const { code, message, hint, at } = finding;
    if (at?.file !== file) return finding;
    const guilty = changes.filter(
      ({ path }) =>
        site !== undefined && formatPosition(site.position(path)) === formatPosition(at),
    );
    const named = (guilty.length > 0 ? guilty : changes).map(({ argument }) => argument).join(' ');
    return new CcpError({
      code,
      message,
      ...omitUndefined({ hint }),
      at: { file: named },
    });
  });
}
