# Runs as root in an image, without network and on a read-only root. Prints records of four fields, each ended by NUL:
#   file TYPE MODE PATH       every path of the image's own file system, as find names type and mode
#   user LINE - -             a line of /etc/passwd
#   library FILE TEXT -       an ELF file whose libraries the loader does not find, and what it said
#   end - - -                 so that a probe that was cut off is told from a clean one
set -u
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
export LC_ALL=C

find / -xdev -mindepth 1 -printf 'file\0%y\0%m\0%p\0'

if [ -r /etc/passwd ]; then
  while IFS= read -r line; do printf 'user\0%s\0-\0-\0' "$line"; done < /etc/passwd
fi

loader=
for candidate in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do
  if [ -e "$candidate" ]; then loader=$candidate; fi
done
export loader

# The loader itself lists what a file needs when LD_TRACE_LOADED_OBJECTS is set, without running the file; ldd does the same by
# way of bash, six times slower. grep also finds the magic at the start of a later line, hence the second look at the first bytes.
magic=$(printf '\177ELF')
export magic
find / -xdev -type f -exec grep -laZm1 "^$magic" {} + | xargs -0 -r sh -c '
  for file; do
    # Wheels bring libraries in NAME.libs, which find each other by way of the module that loads them.
    own=; case $file in *.libs/*) own=${file%/*} ;; esac
    said=$(LD_LIBRARY_PATH=$own LD_TRACE_LOADED_OBJECTS=1 LD_WARN= LD_BIND_NOW= "$loader" "$file" 2>&1)
    code=$?
    # The loader dies on a program that is linked statically, and says of it that it is not for it.
    if [ "$code" -gt 128 ] && [ -z "$said" ] && ! "$loader" --verify "$file" >/dev/null 2>&1; then continue; fi
    case $code$said in
      0*"not found"* | [1-9]*) if [ "$(head -c 4 "$file")" = "$magic" ]; then printf "library\0%s\0%s\0-\0" "$file" "$said"; fi ;;
    esac
  done
' probe

printf 'end\0-\0-\0-\0'
