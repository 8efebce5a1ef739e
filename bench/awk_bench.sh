#!/usr/bin/env bash
# A token bucket per address over a million lines: weir replay against what a shell has (awk, sort, awk). Processor time,
# medians of three runs in turn. The shell's way knows no malformed lines, no IPv6 prefixes and one day only.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for _ in $(seq 60); do cat examples/access.log; done >"$log"

with_weir() { build/release/weir replay --key ip --try algorithm=token_bucket,quota=1,per=1s,burst=10 --json "$log"; }
with_awk() {
  awk '{ print substr($4, 2), $1 }' "$log" | LC_ALL=C sort -s -k1,1 | awk '
    { split($1, t, ":"); now = t[2] * 3600 + t[3] * 60 + t[4]
      if (!($2 in left)) left[$2] = 10
      else if ((left[$2] += now - last[$2]) > 10) left[$2] = 10
      last[$2] = now
      if (left[$2] >= 1) { --left[$2]; ++admitted } else ++denied }
    END { print admitted, denied }'
}
cpu_seconds() {
  local TIMEFORMAT='%U %S'
  { time "$1" >/dev/null 2>/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
median() { sort -n | sed -n 2p; }

weir=() awk=()
for _ in 1 2 3; do
  weir+=("$(cpu_seconds with_weir)")
  awk+=("$(cpu_seconds with_awk)")
done
w=$(printf '%s\n' "${weir[@]}" | median)
a=$(printf '%s\n' "${awk[@]}" | median)
echo "replay token_bucket, $(wc -l <"$log") lines: weir $w s, awk+sort+awk $a s, ratio $(awk "BEGIN { printf \"%.2f\", $w / $a }")"
