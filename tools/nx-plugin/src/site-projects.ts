import type { RawProjectGraphDependency, TargetConfiguration } from '@nx/devkit';
import { CcpError } from '#core';
import { readSite, siteNames, type Site } from '#definitions/deploy';
import type { NamedProject } from './image-project.ts';

/** The name of a site's project; an image may have the name of a site. */
function siteProjectName(site: string): string {
  return `site-${site}`;
}

/**
 * A project for each site of the workspace. A site that cannot be read has one too: `validate`
 * reports the error.
 */
export function siteProjects(root: string, ccp: string): readonly NamedProject[] {
  return siteNames(root).map((name) => siteProject(name, readable(root, name), ccp));
}

/** Edges from each site to the images of its apps, for the projects that `isProject` accepts. */
export function siteEdges(
  root: string,
  isProject: (name: string) => boolean,
): readonly RawProjectGraphDependency[] {
  return siteNames(root).flatMap((name) =>
    Object.keys(readable(root, name)?.apps ?? {})
      .filter(isProject)
      .map((app) => ({
        source: siteProjectName(name),
        target: app,
        type: 'static' as RawProjectGraphDependency['type'],
        sourceFile: `deploy-specs/${name}/site.yaml`,
      })),
  );
}

/**
 * Both targets need the image set of the site's series, so they build the images of the site
 * before: the configuration has the name of the series, which Nx passes on to `build`.
 */
function siteProject(name: string, site: Site | undefined, ccp: string): NamedProject {
  const { series } = site ?? {};
  const target = (more: TargetConfiguration, words: string, description: string) => ({
    ...more,
    executor: 'nx:run-commands',
    options: { command: `${ccp} ${words}`, cwd: '{workspaceRoot}' },
    cache: false,
    inputs: ['{projectRoot}/**/*', '{workspaceRoot}/.ccp.yaml'],
    dependsOn: ['^build'],
    ...(series === undefined
      ? {}
      : { configurations: { [series]: {} }, defaultConfiguration: series }),
    metadata: { description },
  });
  return {
    name: siteProjectName(name),
    root: `deploy-specs/${name}`,
    projectType: 'application',
    tags: ['site'],
    metadata: { description: `The site ${name}.` },
    targets: {
      validate: target(
        {},
        `deploy validate ${name}`,
        `Builds the images of the site ${name} and checks the site against them.`,
      ),
      render: target(
        { outputs: ['{workspaceRoot}/.ccp/render/{projectName}.yaml'] },
        `render ${name} --output .ccp/render/${siteProjectName(name)}.yaml`,
        `Writes the Kubernetes objects of the site ${name} to .ccp/render/${siteProjectName(name)}.yaml.`,
      ),
    },
  };
}

function readable(root: string, name: string): Site | undefined {
  try {
    return readSite(root, name);
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
