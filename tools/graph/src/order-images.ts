import { CcpError, formatPosition, omitUndefined, throwFindings, type ImageName } from '#core';
import type { ImageDefinition } from '#definitions';

/** Maximum number of cycles reported in one error. */
const MAX_CYCLES = 10;

interface Visit {
  readonly name: ImageName;
  readonly parents: Iterator<ImageName>;
}

/**
 * Returns the image names in build order, parents first: images sorted by name, each one directly
 * after its ancestors that no earlier image needed. The order depends on names and parents only;
 * the depth of the graph uses no call stack. Every parent must be in `images`. Throws `graph-cycle`
 * for the first ten cycles.
 */
export function orderImages(images: ReadonlyMap<ImageName, ImageDefinition>): ImageName[] {
  const done = new Set<ImageName>();
  const open = new Set<ImageName>();
  const findings: CcpError[] = [];
  const visit = (name: ImageName): Visit => {
    open.add(name);
    return {
      name,
      parents: [...new Set(Object.values(images.get(name)!.parents))].sort().values(),
    };
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

/** In `cycle` each image needs the next one, and the last image needs the first. */
function cycleError(
  cycle: readonly ImageName[],
  images: ReadonlyMap<ImageName, ImageDefinition>,
): CcpError {
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
    message: [
      `images depend on each other in a cycle: ${[...names, names[0]].join(' -> ')}`,
      ...lines,
    ].join('\n'),
    hint: 'remove one of these parents',
    ...omitUndefined({ at }),
  });
}
