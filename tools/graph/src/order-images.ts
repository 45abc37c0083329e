import { CcpError, formatPosition, throwFindings, type ImageName } from '#core';
import type { ImageDefinition } from '#definitions';

/** Cycles that one error tells of; a tangle has more than anyone reads. */
const MAX_CYCLES = 10;

interface Visit {
  readonly name: ImageName;
  readonly parents: Iterator<ImageName>;
}

/**
 * Names with parents first: image by image in order of their names, each right after those of its ancestors that no earlier
 * one needed. Nothing but names and parents decides, and depth costs no stack. Every parent must be in `images`. Raises
 * `graph-cycle` for the first ten cycles it meets.
 */
export function orderImages(images: ReadonlyMap<ImageName, ImageDefinition>): ImageName[] {
  const done = new Set<ImageName>();
  const open = new Set<ImageName>();
  const findings: CcpError[] = [];
  const visit = (name: ImageName): Visit => {
    open.add(name);
    return { name, parents: [...new Set(Object.values(images.get(name)!.parents))].sort().values() };
  };
  for (const start of [...images.keys()].sort()) {
    if (done.has(start)) continue;
    const stack = [visit(start)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value: parent, done: last } = top.parents.next();
      if (last === true) {
        stack.pop();
        open.delete(top.name);
        done.add(top.name);
      } else if (open.has(parent)) {
        if (findings.length === MAX_CYCLES) continue;
        const path = [...open];
        findings.push(cycleError(path.slice(path.indexOf(parent)), images));
      } else if (!done.has(parent)) stack.push(visit(parent));
    }
  }
  throwFindings(findings);
  return [...done];
}

/** `cycle`: each image needs the next one, the last the first. */
function cycleError(cycle: readonly ImageName[], images: ReadonlyMap<ImageName, ImageDefinition>): CcpError {
  const least = cycle.reduce((index, name, other) => (name < cycle[index]! ? other : index), 0);
  const names = [...cycle.slice(least), ...cycle.slice(0, least)];
  const edges = names.map((name, index) => {
    const parent = names[(index + 1) % names.length]!;
    const { parents, positions } = images.get(name)!;
    const role = Object.keys(parents)
      .sort()
      .find((key) => parents[key] === parent)!;
    return { parent, role, name, at: positions.parents[role] };
  });
  const lines = edges.map(({ name, parent, role, at }) => {
    const where = at === undefined ? '' : ` (${formatPosition(at)})`;
    return `  ${name} needs ${parent} as ${role}${where}`;
  });
  const at = edges[0]!.at;
  return new CcpError({
    code: 'graph-cycle',
    message: [`images need each other in a cycle: ${[...names, names[0]].join(' -> ')}`, ...lines].join('\n'),
    hint: 'take one of these parents out',
    ...(at === undefined ? {} : { at }),
  });
}
