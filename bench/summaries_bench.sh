#!/usr/bin/env bash
# Summaries of a log of 5 million lines that it makes, against what a shell has: wall time, MB/s, MB per
# second of processor time, and peak memory; medians of three runs in turn by wall time. What is not installed is left out.
#   bench/summaries_bench.sh [--quick]   --quick: 200,000 lines, one run
set -euo pipefail
cd "$(dirname "$0")/.."
lines=5000000 runs=3
if [ "${1:-}" = --quick ]; then lines=200000 runs=1; fi
weir=${WEIR:-build/release/weir}
log=${TMPDIR:-/tmp}/weir-bench-$lines.log
[ -x /usr/bin/time ] || { echo "summaries: /usr/bin/time is missing; scripts/setup test installs it" >&2; exit 1; }
trap 'rm -f "$log" "$log.time"' EXIT
python3 bench/make_access_log.py "$lines" >"$log"
size=$(stat -c %s "$log")
echo "summaries: $lines lines, $((size / 1000000)) MB, $(nproc) cores, file in the page cache"

# Seconds, peak kilobytes of the largest process and processor seconds of all, one run.
one_run() {
  /usr/bin/time -o "$log.time" -f '%e %M %U %S' bash -c "set -o pipefail; $1" >/dev/null 2>&1
  cat "$log.time"
}
median() { sort -n | sed -n "$(((runs + 1) / 2))p"; }

# NAME WEIR_COMMAND [PEER_NAME PEER_COMMAND]...
compare() {
  local name=$1
  shift
  local names=(weir) commands=("$1")
  shift
  while [ $# -gt 0 ]; do
    if command -v "${1%% *}" >/dev/null; then names+=("$1") commands+=("$2"); fi
    shift 2
  done
  local i run results=()
  for ((run = 0; run < runs; ++run)); do
    for i in "${!commands[@]}"; do results[i]+="$(one_run "${commands[i]}")"$'\n'; done
  done
  local base
  base=$(printf '%s' "${results[0]}" | median)
  for i in "${!commands[@]}"; do
    printf '%s' "${results[i]}" | median | awk -v name="$name" -v who="${names[i]}" -v size="$size" -v base="${base%% *}" \
      '{ printf "%-10s %-28s %8.2f s %6.0f MB/s %6.0f MB per cpu second %6.1f MB peak  %6.2f x weir\n", name, who, $1, size / 1e6 / $1, size / 1e6 / ($3 + $4 > 0.01 ? $3 + $4 : 0.01), $2 / 1000, $1 / base }'
  done
}

sed_ip="awk '{ print \$1 }' $log"
sed_bytes="awk '\$10 != \"-\" { print \$10 }' $log"
compare sample "$weir sample -k 1000 $log" \
  shuf "shuf -n 1000 $log" \
  awk "awk 'BEGIN { srand(1) } NR <= 1000 { kept[NR] = \$0; next } { at = int(rand() * NR) + 1; if (at <= 1000) kept[at] = \$0 } END { for (i in kept) print kept[i] }' $log"
compare distinct "$weir distinct ip --format combined $log" \
  "sort -u | wc -l" "$sed_ip | LC_ALL=C sort -u | wc -l" \
  awk "awk '!(\$1 in seen) { seen[\$1] = 1; ++n } END { print n }' $log" \
  datamash "$sed_ip | datamash countunique 1"
compare top "$weir top -k 20 ip --format combined $log" \
  "sort | uniq -c | sort -rn" "$sed_ip | LC_ALL=C sort | uniq -c | sort -rn | sed -n 1,20p" \
  awk "awk '{ ++n[\$1] } END { for (v in n) print n[v], v }' $log | sort -rn | sed -n 1,20p"
compare "top path" "$weir top -k 20 path --format combined $log" \
  "sort | uniq -c | sort -rn" "awk '{ print \$7 }' $log | LC_ALL=C sort | uniq -c | sort -rn | sed -n 1,20p"
compare quantiles "$weir quantiles bytes -q 0.5,0.9,0.99 --format combined $log" \
  "sort -n" "$sed_bytes | LC_ALL=C sort -n | awk '{ v[NR] = \$1 } END { print v[int(NR * 0.5)], v[int(NR * 0.9)], v[int(NR * 0.99)] }'" \
  datamash "$sed_bytes | datamash perc:50 1 perc:90 1 perc:99 1"
compare stats "$weir stats bytes --format combined $log" \
  awk "awk '\$10 != \"-\" { ++n; s += \$10; q += \$10 * \$10 } END { print n, s, s / n, sqrt(q / n - (s / n) ^ 2) }' $log" \
  datamash "$sed_bytes | datamash count 1 sum 1 mean 1 pstdev 1 min 1 max 1"
compare rate "$weir rate --every 1m --format combined $log" \
  "awk" "awk '{ ++n[substr(\$4, 2, 17)] } END { for (m in n) print m, n[m] }' $log | sort | sed -n '\$p'"
compare summarize "$weir summarize --format combined $log"
