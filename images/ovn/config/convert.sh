# Converts both databases to the schemas of this version.
set -euo pipefail
for each in "OVN_Northbound $NORTHBOUND ovn-nb" "OVN_Southbound $SOUTHBOUND ovn-sb"; do
  read -r name servers schema <<<"$each"
  schema=/usr/share/ovn/$schema.ovsschema
  old=$(ovsdb-client --timeout=60 needs-conversion "$servers" "$schema")
  if [ "$old" = yes ]; then
    ovsdb-client --timeout=300 convert "$servers" "$schema"
    echo "$name is converted"
  fi
done
