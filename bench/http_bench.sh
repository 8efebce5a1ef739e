#!/usr/bin/env bash
# POST /v1/check under one rule against nginx answering `return 204`, one thread each, under the same wrk without
# pipelining: processor time of the server for each request, the median of interleaved rounds. --quick: shorter ones.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=5 seconds=4
[ "${1:-}" = --quick ] && rounds=3 seconds=2
for tool in wrk nginx; do
  command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null ||
    { echo "http: skipped, for there is no $tool (scripts/setup test installs it)"; exit 0; }
done
PATH=$PATH:/usr/sbin
folder=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

cat >"$folder/policy.yaml" <<'POLICY'
domain: bench
rules:
  - {name: chat, match: {endpoint: chat.send}, key: [account], limit: {quota: 1000000, per: 1s}}
POLICY
cat >"$folder/check.lua" <<'LUA'
wrk.method = "POST"
wrk.body = '{"dimensions":{"account":"42","endpoint":"chat.send"}}'
LUA
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
nginx_port=$(free_port)
cat >"$folder/nginx.conf" <<NGINX
worker_processes 1; daemon off; pid $folder/nginx.pid; error_log $folder/error.log;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path $folder/body; proxy_temp_path $folder/proxy; fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi; scgi_temp_path $folder/scgi;
  server { listen 127.0.0.1:$nginx_port; location / { return 204; } }
}
NGINX
build/release/weir serve --policy "$folder/policy.yaml" --http 127.0.0.1:0 --threads 1 2>"$folder/weir.log" &
weir=$!
started+=("$weir")
nginx -c "$folder/nginx.conf" -p "$folder" 2>/dev/null &
master=$!
started+=("$master")
until grep -q serving "$folder/weir.log" && [ -n "$(pgrep -P "$master")" ]; do sleep 0.1; done
worker=$(pgrep -P "$master")
weir_url=$(sed -n 's/.*serving \(http:[^ ]*\) .*/\1/p' "$folder/weir.log")/v1/check

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# Microseconds of the process for each request of one run.
cost() {
  local before after requests
  before=$(ticks "$1")
  requests=$(wrk -t1 -c50 -d"${seconds}s" -s "$folder/check.lua" "$2" | awk '/requests in/ { print $1 }')
  after=$(ticks "$1")
  awk "BEGIN { printf \"%.3f\n\", ($after - $before) * 1e6 / $(getconf CLK_TCK) / $requests }"
}
median() { sort -n | sed -n "$(((rounds + 1) / 2))p"; }

weir_costs=() nginx_costs=()
for _ in $(seq "$rounds"); do
  weir_costs+=("$(cost "$weir" "$weir_url")")
  nginx_costs+=("$(cost "$worker" "http://127.0.0.1:$nginx_port/")")
done
w=$(printf '%s\n' "${weir_costs[@]}" | median)
n=$(printf '%s\n' "${nginx_costs[@]}" | median)
echo "http check, 50 connections, no pipelining: weir $w us, nginx return 204 $n us, ratio $(awk "BEGIN { printf \"%.2f\", $w / $n }")"
