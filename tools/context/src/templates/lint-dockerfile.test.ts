import { expect, it } from 'vitest';
import { lintDockerfile } from './lint-dockerfile.ts';

const DOUBTFUL =
  'the line contains a control character or a special space, or ends in two backslashes';
const START = 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE} AS one\n';

it.each([
  ['# syntax=docker/dockerfile:1', '"# syntax=" is not allowed'],
  ['#escape=`', '"# escape=" is not allowed'],
  ['FROM debian:trixie', 'FROM debian:trixie is neither scratch, an earlier stage nor a parent'],
  [
    'FROM ${CCP_PARENT_OTHER}',
    'FROM ${CCP_PARENT_OTHER} is neither scratch, an earlier stage nor a parent',
  ],
  [
    'FROM ${CCP_PARENT_BUILDER}',
    'FROM ${CCP_PARENT_BUILDER} needs "ARG CCP_PARENT_BUILDER" before the first FROM',
  ],
  ['FROM --platform=linux/arm64 one', 'FROM --platform=linux/arm64 is not allowed'],
  ['run --network=host id', 'RUN --network=host is not allowed'],
  ['RUN \\\n  --security=insecure id', 'RUN --security=insecure is not allowed'],
  ['RUN --mount=type=secret,id=x id', 'a secret mount is not allowed'],
  ['RUN --mount=type=cache,target=/c id', 'a cache mount is not allowed'],
  ['RUN --mount=from=alpine,target=/c id', 'a mount from alpine does not name an earlier stage'],
  ['COPY --from=alpine /x /x', 'COPY --from alpine does not name an earlier stage'],
  ['COPY --link x /x', 'COPY --link is not allowed'],
  ['RUN cat <<EOF\nid\nEOF', 'a heredoc in RUN is not allowed'],
  ['COPY <<-"EOF" /x', 'a heredoc in COPY is not allowed'],
  ['ADD https://host.test/x /x', 'ADD https://host.test/x could be remote'],
  ['ADD ["git@host.test:x.git", "/x"]', 'ADD git@host.test:x.git could be remote'],
  ['ADD $URL /x', 'ADD $URL could be remote'],
  ['COPY .inputs/debian /x', 'COPY .inputs/debian would leave locked inputs in a layer'],
  [
    'COPY --chown=1:1 files/a /./files/../.inputs/python /x',
    'COPY /./files/../.inputs/python would leave locked inputs in a layer',
  ],
  [
    'COPY ["./.inputs/seed.tar", "/x"]',
    'COPY ./.inputs/seed.tar would leave locked inputs in a layer',
  ],
  ['COPY . /x', 'COPY . would leave locked inputs in a layer'],
  ['COPY .i* /x', 'COPY .i* would leave locked inputs in a layer'],
  ['COPY $X /x', 'COPY $X could expand to other files'],
  ['COPY files/$X /x', 'COPY files/$X could expand to other files'],
  ['COPY ".inputs" /x', 'COPY ".inputs" could expand to other files'],
  ["COPY files/'../.inputs' /x", "COPY files/'../.inputs' could expand to other files"],
  [String.raw`COPY \.inputs /x`, String.raw`COPY \.inputs could expand to other files`],
  ['COPY [.]inputs /x', 'COPY [.]inputs /x starts like a JSON list but is not valid'],
  [
    'COPY --chown=1:1 [f]iles/a .inputs /x',
    'COPY [f]iles/a .inputs /x starts like a JSON list but is not valid',
  ],
  [
    'COPY ["files/a", "/x"] .inputs',
    'COPY ["files/a", "/x"] .inputs starts like a JSON list but is not valid',
  ],
  ['copy \\\n[".inputs", 1]', 'COPY [".inputs", 1] starts like a JSON list but is not valid'],
  [
    'ADD [.]inputs/seed.tar /x',
    'ADD [.]inputs/seed.tar /x starts like a JSON list but is not valid',
  ],
  [
    'ADD --chown=1:1 [".inputs/debian", "/x"]',
    'ADD .inputs/debian would leave locked inputs in a layer',
  ],
  [String.raw`COPY ["\u002einputs", "/x"]`, 'COPY .inputs would leave locked inputs in a layer'],
  ['COPY -- .inputs /x', 'COPY .inputs would leave locked inputs in a layer'],
  ['COPY files/../Dockerfile /x', 'COPY files/../Dockerfile would leave the Dockerfile in a layer'],
  ['ADD .inputs/seed.tar /x', 'ADD .inputs/seed.tar is only allowed with the target /'],
  [
    'ADD .inputs/seed.tar .inputs/sources/a.tar /',
    'ADD .inputs/sources/a.tar would leave locked inputs in a layer',
  ],
  [
    'ADD files/../.inputs/seed.tar /x',
    'ADD files/../.inputs/seed.tar would leave locked inputs in a layer',
  ],
  ['ONBUILD COPY .inputs /x', 'ONBUILD is not allowed'],
  ['ENTRYPOINT ["/bin/echo"]', 'ENTRYPOINT is not allowed'],
  ['healthcheck NONE', 'HEALTHCHECK is not allowed'],
  ['CMD memcached -v', 'CMD memcached -v is not a list'],
  [
    'LABEL org.opencontainers.image.created=now',
    'LABEL org.opencontainers.image.created is set by ccp',
  ],
  [
    'LABEL a=b "org.opencontainers.image".created=now',
    'LABEL org.opencontainers.image.created is set by ccp',
  ],
  ['LABEL $X=now', 'LABEL $X has a variable in its name'],
  ['ADD github.com/x/y files/a /x', 'ADD github.com/x/y could be remote'],
  ['   add https://host.test/x /x', 'ADD https://host.test/x could be remote'],
  [
    String.raw`ADD ["\u0068ttp\u003a\u002f\u002fhost.test", "/x"]`,
    'ADD http://host.test could be remote',
  ],
  ['ADD --checksum=sha256:00 https://host.test/x /x', 'ADD --checksum=sha256:00 is not allowed'],
  ['ADD files/a\\\n.git /x', 'ADD files/a.git could be remote'],
  [
    'RUN --mount=type=bind,FROM=127.0.0.1:9/evil/image,target=/x id',
    'the mount option FROM=127.0.0.1:9/evil/image is not allowed',
  ],
  ['RUN --mount=TYPE=cache,target=/x id', 'the mount option TYPE=cache is not allowed'],
  [
    'RUN --mount="type=cache,target=/x" id',
    'RUN --mount="type=cache,target=/x" contains a quote or a backslash',
  ],
  [
    String.raw`RUN --mount=ty\pe=cache,target=/x id`,
    String.raw`RUN --mount=ty\pe=cache,target=/x contains a quote or a backslash`,
  ],
  ['RUN --mount=type=bind,type=cache,target=/x id', 'a cache mount is not allowed'],
  ['RUN --mount=type=cache,type=bind,target=/x id', 'the mount option type=bind is not allowed'],
  ['RUN --mount=target=/x,id=y id', 'the mount option id=y is not allowed'],
  ['RUN --mount=from=0,target=/x id', 'a mount from 0 does not name an earlier stage'],
  [
    'RUN --mount=target=/x\\\n,from=alpine id',
    'a mount from alpine does not name an earlier stage',
  ],
  ['RUN --MOUNT=type=cache,target=/x id', 'RUN --MOUNT=type=cache,target=/x is not allowed'],
  [
    'COPY --from=one\\\n.host.test/x /x /x',
    'COPY --from one.host.test/x does not name an earlier stage',
  ],
  ['COPY --FROM=alpine /x /x', 'COPY --FROM is not allowed'],
  ['COPY --from=7 /x /x', 'COPY --from 7 does not name an earlier stage'],
  ['COPY --from=$X /x /x', 'COPY --from $X does not name an earlier stage'],
  ['COPY --chown="1 2" --from=alpine /x /x', 'COPY --chown="1 contains a quote or a backslash'],
  [
    'FROM ${CCP_PARENT_BASE:-alpine}',
    'FROM ${CCP_PARENT_BASE:-alpine} is neither scratch, an earlier stage nor a parent',
  ],
  ['FROM on\\\ne.test/x', 'FROM one.test/x is neither scratch, an earlier stage nor a parent'],
  ['ARG CCP_PARENT_BASE=alpine', 'ARG CCP_PARENT_BASE has a value'],
  [
    'ARG A=1 CCP_PARENT_BASE=alpine',
    'ARG A=1 CCP_PARENT_BASE=alpine does not declare a single plain argument',
  ],
  ['RUN cat <<1\n1', 'a heredoc in RUN is not allowed'],
  ['RUN echo \\\\\nADD https://host.test/x /x', DOUBTFUL],
  ['RUN echo \\\\ \nADD https://host.test/x /x', DOUBTFUL],
  ['RUN echo \\\r\nADD https://host.test/x /x', DOUBTFUL],
  ['RUN echo \\\u00a0\nADD https://host.test/x /x', DOUBTFUL],
  ['RUN echo \0', DOUBTFUL],
  ['\ufeff# syntax=x', DOUBTFUL],
  ['// syntax=x', '// is not allowed'],
  ['RNU id', 'RNU is not allowed'],
])('refuses %s', (line, message) => {
  const findings = lintDockerfile(`${START}${line}\n`, ['CCP_PARENT_BASE', 'CCP_PARENT_BUILDER']);
  expect(findings[0]).toMatchObject({ message, line: 3 });
});

it('reads the lines after a comment inside an instruction, as the engine does', () => {
  const text = `${START}RUN echo \\\n  # not \\\n\n\n  x\nADD https://host.test/x /x\n`;
  expect(lintDockerfile(text, ['CCP_PARENT_BASE'])).toMatchObject([
    { line: 8, message: 'ADD https://host.test/x could be remote' },
  ]);
});

it('accepts the instructions of a hermetic build', () => {
  const text = `ARG CCP_PARENT_BASE
FROM scratch AS boot
ADD .inputs/seed.tar /
RUN --mount=type=tmpfs,target=/run --mount=type=bind,source=files,target=/run/files \\
    # a comment between
    set -e; echo $((1 << 2)); \\
    grep -q x <<<x
FROM $CCP_PARENT_BASE
COPY --from=boot --chown=1:1 / /
COPY --from=0 /a /b
COPY --from=boot .inputs /c
COPY files/ tree/ /
COPY ["files/a b", "/b"]
COPY files/[a-z]*.conf /etc/
RUN [ -e /b ] && true
RUN --mount=from=boot,target=/b true
LABEL a="b" c="see $X" d='a b'
LABEL old see $X
STOPSIGNAL SIGUSR1
CMD ["x"]
`;
  expect(lintDockerfile(text, ['CCP_PARENT_BASE'])).toEqual([]);
});

it('lists the names that FROM accepts, without unnamed stages', () => {
  expect(
    lintDockerfile('ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nFROM debian:13\n', [
      'CCP_PARENT_BASE',
    ])[0],
  ).toMatchObject({
    hint: 'allowed here: scratch, ${CCP_PARENT_BASE}',
  });
});

it.each([
  [
    'ONBUILD RUN id',
    'it would add steps to the images built on this one, which their definitions do not show: put the steps into a macro in _shared/',
  ],
  [
    'RUN echo \\\\',
    'some engines end the line there and others continue it: write such text with printf and escapes like "\\n", or put it into files/',
  ],
])('says how to replace %s', (line, hint) => {
  expect(lintDockerfile(`${START}${line}\n`, ['CCP_PARENT_BASE'])[0]).toMatchObject({ hint });
});

it('requires a FROM', () => {
  expect(lintDockerfile('ARG X\n', [])).toMatchObject([{ message: 'FROM is missing' }]);
});
