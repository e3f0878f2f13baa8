#!/usr/bin/env bash
# Collects in one folder the files that check.py and bench.py need on a machine with a GPU, its driver, Python and
# torch. Packs the folder as OUT.tar.xz: pack.sh BUILD PACKAGES OUT
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$1 packages=$2 out=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
limit_mib=60

[ -f "$build/lib/libtessera_runtime.so" ] || { echo "error: no libtessera_runtime.so in $build/lib" >&2; exit 1; }
[ -f "$packages/index.json" ] || { echo "error: no index.json in $packages; run compile.py" >&2; exit 1; }
[ ! -e "$out" ] || { echo "error: $out exists" >&2; exit 1; }

mkdir -p "$out/lib" "$out/python" "$out/packages"
cp "$build/lib/libtessera_runtime.so" "$out/lib/"
# The extension makes calls from Python faster.
[ ! -f "$build/lib/tessera_calls.abi3.so" ] || cp "$build/lib/tessera_calls.abi3.so" "$out/lib/"
cp -r "$root/python/tessera" "$out/python/"
cp -r "$root/gpu" "$root/examples" "$out/"
find "$out" -name __pycache__ -prune -exec rm -r {} +
# Only the packages of index.json, not those of earlier compilations.
cp "$packages/index.json" "$out/packages/"
python3 - "$packages" "$out/packages" <<'END'
import json, pathlib, shutil, sys
source, target = map(pathlib.Path, sys.argv[1:])
for row in json.loads((source / "index.json").read_text())["packages"]:
    if row["error"] is None:
        shutil.copy(source / row["file"], target)
END

mib=$(($(du -sk "$out" | cut -f1) / 1024))
tar -C "$out" -cf - . | xz -T0 -3 > "$out.tar.xz"
packed=$(($(stat -c %s "$out.tar.xz") / 1048576))
echo "$out: $(find "$out/packages" -name '*.tpk' | wc -l) packages, $mib MiB, $packed MiB as $out.tar.xz"
[ "$packed" -lt "$limit_mib" ] || { echo "error: more than $limit_mib MiB; use compile.py --only" >&2; exit 1; }
