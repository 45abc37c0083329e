# Runs as root in an image, without network and with a read-only root. With the argument
# no-libraries, it does not look for missing libraries. Prints records of four fields, each followed
# by NUL:
#   file TYPE MODE PATH       a path in the image's own file system; type and mode as printed by find
#   user LINE - -             a line of /etc/passwd
#   library FILE TEXT -       an ELF file with missing libraries, and the loader's output
#   end - - -                 the last record; without it the output is incomplete
set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
export LC_ALL=C

find / -xdev -mindepth 1 -printf 'file\0%y\0%m\0%p\0'

if [ -r /etc/passwd ]; then
  while IFS= read -r line; do printf 'user\0%s\0-\0-\0' "$line"; done < /etc/passwd
fi

if [ "${1:-}" = no-libraries ]; then
  printf 'end\0-\0-\0-\0'
  exit 0
fi

loader=
for candidate in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do
  if [ -e "$candidate" ]; then loader=$candidate; fi
done
export loader

# With LD_TRACE_LOADED_OBJECTS the loader lists the libraries of a file without running it; ldd does
# the same through bash, six times slower. grep also finds the magic number at the start of a later
# line, so the first bytes are checked again.
magic=$(printf '\177ELF')
export magic
find / -xdev -type f -exec grep -laZm1 "^$magic" {} + | xargs -0 -r sh -c '
  for file; do
    # Libraries of wheels are in NAME.libs and find each other through the module that loads them.
    own=; case $file in *.libs/*) own=${file%/*} ;; esac
    output=$(LD_LIBRARY_PATH=$own LD_TRACE_LOADED_OBJECTS=1 LD_WARN= LD_BIND_NOW= "$loader" "$file" 2>&1)
    code=$?
    # The loader crashes on statically linked programs, but --verify reports them as unsupported.
    if [ "$code" -gt 128 ] && [ -z "$output" ] && ! "$loader" --verify "$file" >/dev/null 2>&1; then continue; fi
    case $code$output in
      0*"not found"* | [1-9]*) if [ "$(head -c 4 "$file")" = "$magic" ]; then printf "library\0%s\0%s\0-\0" "$file" "$output"; fi ;;
    esac
  done
' probe

printf 'end\0-\0-\0-\0'
