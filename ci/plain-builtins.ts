import type { Plugin } from 'rolldown';

/** `import whole, { names } from "node:module";`, or one of both. */
const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\{([^{}]+)\})? from "(node:[^"]+)";$/gm;
/** Modules that take milliseconds to load, and whose functions most commands do not call. */
const LATE = new Set(['node:crypto', 'node:child_process']);
/** Functions that carry properties, for example for `promisify`. */
const WITH_PROPERTIES = new Set(['exec', 'execFile']);

/**
 * Gets Node's modules by `process.getBuiltinModule`. An import evaluates every export of a module,
 * and with it modules that nothing uses: the one of node:fs loads all streams. Functions of
 * expensive modules are looked up when they are called.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  renderChunk: (code) =>
    code.replace(IMPORT, (_, local?: string, names?: string, module = '') =>
      [
        ...(local === undefined ? [] : [`const ${local} = ${whole(module)};`]),
        ...(names === undefined ? [] : bindNames(names, module)),
      ].join(' '),
    ),
};

const get = (module: string): string => `globalThis.process.getBuiltinModule("${module}")`;

function whole(module: string): string {
  return LATE.has(module)
    ? `new Proxy({}, { get: (_, name) => ${get(module)}[name] })`
    : get(module);
}

function bindNames(names: string, module: string): readonly string[] {
  const late: string[] = [];
  const now: string[] = [];
  for (const each of names.split(',').map((name) => name.trim())) {
    const [name = '', local = name] = each.split(' as ');
    if (LATE.has(module) && /^[a-z]/.test(name) && !WITH_PROPERTIES.has(name))
      late.push(`const ${local} = (...given) => ${get(module)}.${name}(...given);`);
    else now.push(name === local ? name : `${name}: ${local}`);
  }
  const eager = now.length === 0 ? [] : [`const { ${now.join(', ')} } = ${get(module)};`];
  return [...eager, ...late];
}
