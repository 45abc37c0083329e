import { CcpError, CcpErrors, formatPosition, throwFindings } from '#core';
import type { Site } from '#definitions';
import { parseSite } from '#definitions/deploy';
import type { RenderedSite } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { renderedSite, type SetFlags } from './open-site.ts';

/** One argument that changes a site, and the path of what it sets there. */
export interface SiteChange {
  readonly argument: string;
  readonly path: readonly string[];
}

/**
 * A site by the text that arguments make of it, and laid out. What stands against the site as it is is raised as `renderedSite` does; what
 * stands against the changes names their arguments, since nobody has written the lines that it is about.
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
    renderedSite({ root: context.root, output: { ...context.output, warn: () => undefined } }, before, flags);
    throwFindings(blame(thrown, file, changes, site));
    throw thrown;
  }
}

/** What was raised about lines of a proposed file, about the arguments that they come from. */
export function blame(thrown: CcpError, file: string, changes: readonly SiteChange[], site?: Pick<Site, 'position'>): readonly CcpError[] {
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  return findings.map((finding) => {
    const { code, message, hint, at } = finding;
    if (at?.file !== file) return finding;
    const guilty = changes.filter(({ path }) => site !== undefined && formatPosition(site.position(path)) === formatPosition(at));
    const named = (guilty.length > 0 ? guilty : changes).map(({ argument }) => argument).join(' ');
    return new CcpError({ code, message, ...(hint === undefined ? {} : { hint }), at: { file: named } });
  });
}
