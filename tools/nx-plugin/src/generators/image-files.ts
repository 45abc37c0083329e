export interface NewImage {
  readonly name: string;
  readonly base: string;
  readonly packages: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly uid: number;
  /** Largest unpacked size, like `190MB`. */
  readonly budget: string | undefined;
}

/** The texts of a new image by file name, as in the guide for image authors. */
export function imageFiles(
  image: NewImage,
): Readonly<Record<'image.yaml' | 'Dockerfile.njk', string>> {
  return { 'image.yaml': definition(image), 'Dockerfile.njk': template(image) };
}

function definition({ name, base, packages, title, description, uid, budget }: NewImage): string {
  const [program = name] = packages;
  const debian =
    packages.length === 0
      ? ''
      : `debian:\n  runtime:\n    on: base\n    packages: [${packages.join(', ')}]\n`;
  const version = packages.length === 0 ? '' : `      version: ${program}\n`;
  const limit =
    budget === undefined
      ? ''
      : `budget: ${budget} # set it to a little more than the first build needs\n`;
  return `# yaml-language-server: $schema=../../tools/definitions/schemas/image.schema.json
title: ${JSON.stringify(title)}
description: ${JSON.stringify(description)}
parents:
  base: ${base}
${debian}user: { name: ${name}, uid: ${uid}, gid: ${uid}, home: /var/lib/${name} }
${limit}tests:
  commands:
    - name: the program starts
      run: [${program}, --version]
${version}`;
}

function template({ name, packages }: NewImage): string {
  const install = packages.length === 0 ? '' : '{{ ccp.debian_install(debian.runtime) }}\n';
  return `{% import "_shared/macros.njk" as ccp %}
{{ ccp.declare(parents) }}
FROM {{ parents.base }}
{{ ccp.add_user(image.user) }}
${install}{{ ccp.run_as(image.user) }}
CMD ["${packages[0] ?? name}"]
`;
}
