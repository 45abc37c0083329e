# Runs as root in an image, without network and with a read-only root. The arguments are ELF files.
# Prints two fields, each followed by NUL, for each file with missing libraries: its path, and the
# loader's output. The last record is "end" and "-"; without it the output is incomplete.
set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
export LC_ALL=C

loader=
for candidate in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do
  if [ -e "$candidate" ]; then loader=$candidate; fi
done

# With LD_TRACE_LOADED_OBJECTS the loader lists the libraries of a file without running it; ldd does
# the same through bash, six times slower.
for file; do
  # Libraries of wheels are in NAME.libs and find each other through the module that loads them.
  own=; case $file in *.libs/*) own=${file%/*} ;; esac
  output=$(LD_LIBRARY_PATH=$own LD_TRACE_LOADED_OBJECTS=1 LD_WARN='' LD_BIND_NOW='' "$loader" "$file" 2>&1)
  code=$?
  # The loader crashes on statically linked programs, but --verify reports them as unsupported.
  if [ "$code" -gt 128 ] && [ -z "$output" ] && ! "$loader" --verify "$file" >/dev/null 2>&1; then continue; fi
  case $code$output in
    0*"not found"* | [1-9]*) printf '%s\0%s\0' "$file" "$output" ;;
  esac
done

printf 'end\0-\0'
