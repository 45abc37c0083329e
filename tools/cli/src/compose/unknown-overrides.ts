import { readFileSync } from 'node:fs';
import { CcpError, formatPosition, nearest } from '#core';
import { overriddenProject } from '#definitions';
import { normaliseProject } from '#formats';
import { constrainedProjects, readLock } from '#locks';
import { definitionOf } from './inputs.ts';
import type { Project } from './project.ts';

/**
 * A warning for each constraint override of a project that is in neither the constraints nor a lock
 * of the series, so that it has no effect. Empty while a lock is missing or unreadable.
 */
export function unknownOverrideLines(project: Project): readonly string[] {
  const { overrides, constraints } = project.series;
  const constrained = new Set(
    constraints === undefined ? [] : constrainedProjects(readFileSync(constraints, 'utf8')),
  );
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
      return `${place}the override ${requirement} has no effect: no constraint or lock of ${project.series.name} contains this project${hint}`;
    });
}

function lockedProjects(project: Project): ReadonlySet<string> | undefined {
  try {
    const locks = project.graph.order.map((image) =>
      readLock(definitionOf(project, image), project.series.name),
    );
    return new Set(
      locks.flatMap(({ python }) =>
        [...python.runtime, ...python.build].map(({ name }) => normaliseProject(name)),
      ),
    );
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
