#!/usr/bin/env bash
# Measures folders of 'tile-tune compile' on this machine's GPU. Interrupts each run after INTERRUPT seconds (40) and
# continues it, as a test. Journals and logs go to OUT: tune.sh OUT FOLDER...
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PYTHONPATH=$root/python${PYTHONPATH:+:$PYTHONPATH}

status=0
for folder in "$@"; do
  name=$(basename "$folder")
  run=(python3 -m tessera.tune run "$folder" --journal "$out/$name.jsonl" --timeout "${TIMEOUT:-60}" --best all)
  {
    echo "+ ${run[*]}"
    timeout --signal=INT "${INTERRUPT:-40}" "${run[@]}" && echo "ended before the interrupt" || true
    echo "+ ${run[*]}"
    "${run[@]}" --budget "${BUDGET:-500}"
  } 2>&1 | tee "$out/$name.log" || status=1
done
exit $status
