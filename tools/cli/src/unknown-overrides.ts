import { readFileSync } from 'node:fs';
import { CcpError, formatPosition, nearest, normaliseProject } from '#core';
import { overriddenProject } from '#definitions';
import { constrainedProjects, readLock } from '#locks';
import type { Project } from './compose.ts';
import { definitionOf } from './compose-inputs.ts';

/**
 * A line for each constraint override of a project that neither the series' constraints nor any of its locks knows: it changes nothing.
 * Locks are read only where the constraints do not have it; nothing is said while one of them is missing or cannot be read.
 */
export function unknownOverrideLines(project: Project): readonly string[] {
  const { overrides, constraints } = project.series;
  const constrained = new Set(constraints === undefined ? [] : constrainedProjects(readFileSync(constraints, 'utf8')));
  const doubtful = overrides.filter((override) => !constrained.has(overriddenProject(override)));
  if (doubtful.length === 0) return [];
  const locked = lockedProjects(project);
  if (locked === undefined) return [];
  return doubtful
    .filter((override) => !locked.has(overriddenProject(override)))
    .map((override) => {
      const { requirement, at } = override;
      const meant = nearest(overriddenProject(override), [...constrained, ...locked]);
      const place = at === undefined ? '' : `${formatPosition(at)}: `;
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      return `${place}the override ${requirement} changes nothing: no constraint and no lock of ${project.series.name} has this project${hint}`;
    });
}

function lockedProjects(project: Project): ReadonlySet<string> | undefined {
  try {
    const locks = project.graph.order.map((image) => readLock(definitionOf(project, image), project.series.name));
    return new Set(locks.flatMap(({ python }) => [...python.runtime, ...python.build].map(({ name }) => normaliseProject(name))));
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
