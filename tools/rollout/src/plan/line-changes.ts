const MOST = 6;

/**
 * Lines that only one of two texts has, as `- line` and `+ line`, each with its INI section; at
 * most a few.
 */
export function lineChanges(before: string, after: string): string[] {
  const [old, fresh] = [placed(before), placed(after)];
  const [had, has] = [new Set(old), new Set(fresh)];
  const lines = [
    ...old.filter((line) => !has.has(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !had.has(line)).map((line) => `+ ${line}`),
  ];
  if (lines.length === 0) return before === after ? [] : ['only the order of its lines changes'];
  return lines.length <= MOST
    ? lines
    : [...lines.slice(0, MOST), `and ${lines.length - MOST} more lines`];
}

function placed(text: string): string[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    if (/^\[[^\]]+\]$/.test(line)) {
      section = `${line} `;
      return [];
    }
    return line.trim() === '' ? [] : [`${section}${line}`];
  });
}
