import { expect, it } from 'vitest';
import { lintDockerfile } from './lint-dockerfile.ts';

const START = 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE} AS one\n';

it.each([
  ['# syntax=docker/dockerfile:1', '"# syntax=" is not allowed'],
  ['#escape=`', '"# escape=" is not allowed'],
  ['FROM debian:trixie', 'FROM debian:trixie is neither scratch, an earlier stage nor a parent'],
  ['FROM ${CCP_PARENT_OTHER}', 'FROM ${CCP_PARENT_OTHER} is neither scratch, an earlier stage nor a parent'],
  ['FROM ${CCP_PARENT_BUILDER}', 'FROM ${CCP_PARENT_BUILDER} needs "ARG CCP_PARENT_BUILDER" before the first FROM'],
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
  ['ONBUILD RUN id', 'ONBUILD is not an instruction that is allowed here'],
  ['RNU id', 'RNU is not an instruction that is allowed here'],
])('refuses %s', (line, message) => {
  const findings = lintDockerfile(`${START}${line}\n`, ['CCP_PARENT_BASE', 'CCP_PARENT_BUILDER']);
  expect(findings[0]).toMatchObject({ message, line: 3 });
});

it('takes what a hermetic build needs', () => {
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
RUN --mount=from=boot,target=/b true
LABEL a="b"
CMD ["x"]
`;
  expect(lintDockerfile(text, ['CCP_PARENT_BASE'])).toEqual([]);
});

it('wants a FROM', () => {
  expect(lintDockerfile('ARG X\n', [])).toMatchObject([{ message: 'there is no FROM' }]);
});
