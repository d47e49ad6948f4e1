# Part of tests/bench/run: one measurement, and the report over all of them.

names=()
declare -A rates p50s p99s requests errors server_ticks database_ticks client_ticks

# User and system time of a process, in ticks of 1/100 s.
cpu_ticks() {
    local line
    line=$(cat "/proc/$1/stat") || { echo 0; return; }
    # The name in brackets may hold blanks; utime and stime are the 12th and 13th fields after it.
    set -- ${line##*) }
    echo $((${12} + ${13}))
}

# measure NAME COMMAND...: runs the command, which prints a RESULT line, and keeps what it says.
measure() {
    local name=$1
    shift
    [[ $name =~ $only ]] || [[ $name = *.floor ]] || return 0
    [[ -v rates[$name] ]] || { names+=("$name"); rates[$name]="" p50s[$name]="" p99s[$name]=""
        requests[$name]=0 errors[$name]=0 server_ticks[$name]=0 database_ticks[$name]=0 client_ticks[$name]=0; }
    local server_before database_before result
    server_before=$(cpu_ticks "$server_pid") database_before=$(cpu_ticks "$database_pid")
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/output" 2>"$work/errors"; } 2>"$work/times" || true
    result=$(sed -n 's/^RESULT //p' "$work/output")
    [ -n "$result" ] || { cat "$work/output" "$work/errors" >&2; fail "$name gave no result"; }
    kill -0 "$server_pid" 2>/dev/null || { cat "$work/server.out" >&2; fail "the server died in $name"; }
    set -- $result
    rates[$name]+=" $1" p50s[$name]+=" $4" p99s[$name]+=" $5"
    requests[$name]=$((requests[$name] + $2)) errors[$name]=$((errors[$name] + $3))
    server_ticks[$name]=$((server_ticks[$name] + $(cpu_ticks "$server_pid") - server_before))
    database_ticks[$name]=$((database_ticks[$name] + $(cpu_ticks "$database_pid") - database_before))
    client_ticks[$name]=$(awk -v before="${client_ticks[$name]}" '{print before + ($1 + $2) * 100}' "$work/times")
}

drive() {
    wrk --threads 1 --connections "$connections" --duration "${seconds}s" --timeout 10s --latency --script tests/bench/request.lua \
        "${2:-$url}$1"
}

# get NAME KEY PATH. The first time it looks whether the server answers that at all.
get() {
    if ! [[ -v rates[$1] ]] && [[ $1 =~ $only ]]; then
        ask "$2" "${3/\{id\}/${BENCH_IDS%% *}}" >"$work/answer" || { cat "$work/answer" >&2; fail "$1 is refused: $3"; }
    fi
    BENCH_KEY=$2 measure "$1" drive "$3"
}

# feed NAME BODY: orders, as the platform sends them.
feed() { settle; BENCH_KEY=$platform_key BENCH_METHOD=POST BENCH_BODY=$2 measure "$1" drive /orders "$platform_url"; }

post() { BENCH_KEY=$2 BENCH_METHOD=POST BENCH_BODY=$4 measure "$1" drive "$3"; }

# run_floor NAME SQL-FILE PARAMETER...
run_floor() {
    local name=$1 file=tests/bench/$2
    shift 2
    measure "$name" "$build/bin/supplierd-bench-floor" "$socket" supplierd_bench "$connections" "$seconds" \
        "$file" "$@"
}

# A floor costs its time only when a workload that is compared with it is wanted.
wanted() {
    local name
    for name in "$@"; do
        if [[ $name =~ $only ]]; then return 0; fi
    done
    return 1
}

# bulk NAME KEY PATH NAMES-FILE product_id|sku stock_qty|base_price
bulk() {
    settle
    BENCH_KEY=$2 BENCH_METHOD=POST BENCH_NAMES=$4 BENCH_NAME=$5 BENCH_FIELD=$6 measure "$1" drive "$3"
}

# for_crowd COMMAND...: the command once for each supplier of the crowd, all at once, with one connection and the
# supplier's place behind its arguments. Prints one RESULT: rates, requests and errors added up, p50 their mean, p99 the worst.
for_crowd() {
    local place process processes=()
    for ((place = 0; place < crowd; place++)); do
        connections=1 "$@" "$place" >"$work/crowd.$place" &
        processes+=($!)
    done
    for process in "${processes[@]}"; do wait "$process"; done
    cat "$work"/crowd.* | awk '/^RESULT/ {n++; rate += $2; requests += $3; errors += $4; p50 += $5; if ($6 > p99) p99 = $6}
        END {if (n) printf "RESULT %.1f %d %d %d %d\n", rate, requests, errors, p50 / n, p99}'
}

crowd_bulk() { BENCH_KEY=${crowd_keys[$2]} BENCH_NAMES=$work/$BENCH_NAME.$2 drive "$1"; }
crowd_floor() {
    "$build/bin/supplierd-bench-floor" "$socket" supplierd_bench 1 "$seconds" "tests/bench/$1" $((101 + $2)) \
        "@$work/product_id.$2"
}

# crowd NAME PATH product_id|sku stock_qty|base_price
crowd() {
    settle
    BENCH_METHOD=POST BENCH_NAME=$3 BENCH_FIELD=$4 measure "$1" for_crowd crowd_bulk "$2"
}

# Waits until the database has cleaned up behind earlier writes, so that they slow nobody else down.
settle() {
    local waited=0
    while [ "$(sql "SELECT count FROM information_schema.INNODB_METRICS WHERE name = 'trx_rseg_history_len'")" -gt 50 ] &&
        [ $waited -lt 100 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
}

median() { tr ' ' '\n' <<<"$1" | grep . | sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# What a workload's rate is of another's, round by round: the median of the ratios. Noise of the machine is in both.
ratio() {
    [[ -v rates[$1] && -v rates[$2] ]] || { echo null; return; }
    median "$(paste -d ' ' <(tr ' ' '\n' <<<"${rates[$1]}" | grep .) <(tr ' ' '\n' <<<"${rates[$2]}" | grep .) |
        awk '$2 > 0 {printf "%.4f\n", $1 / $2}')"
}

per_request() { awk -v ticks="$1" -v requests="$2" 'BEGIN {printf "%.4f", (requests > 0 ? ticks * 10 / requests : 0)}'; }

# Of all three processes together, in ms.
whole_cost() {
    local server=${server_ticks[$1]}
    if [ "$1" = list.floor ]; then server=0; fi
    per_request "$(awk -v sum="$server $((database_ticks[$1])) ${client_ticks[$1]}" \
        'BEGIN {split(sum, part, " "); print part[1] + part[2] + part[3]}')" "${requests[$1]}"
}

memory_kib() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$server_pid/status"; }

bars=()
missed=0

# bar TEXT VALUE at-least|below LIMIT
bar() {
    local verdict
    if [ "$2" = null ]; then
        verdict="not measured"
    elif awk -v value="$2" -v kind="$3" -v limit="$4" \
        'BEGIN {exit !(kind == "at-least" ? value >= limit : value < limit)}'; then
        verdict=met
    else
        verdict=MISSED
        missed=$((missed + 1))
    fi
    bars+=("$1|$2|$3|$4|$verdict")
}

report() {
    local rss peak name by text value kind limit verdict comma="" total_errors=0
    rss=$(memory_kib VmRSS) peak=$(memory_kib VmHWM)
    bar "list of $small products, of the floor" "$(ratio list.small list.floor)" at-least 0.45
    bar "first page by status with totals: time at $large over time at $small" "$(ratio status.small status.large)" below 1.5
    bar "cursor page deep inside $large: time over the first page's" "$(ratio list.large cursor.large)" below 1.5
    bar "page $((middle / 20)) by number at $middle: time over the first page's" \
        "$(ratio page.first.middle page.last.middle)" below 10
    for name in stock prices; do
        for by in id sku; do
            bar "bulk $name of 500 items by $by at $middle products, of the floor" "$(ratio "$name-by-$by" "$name.floor")" \
                at-least 0.8
            bar "the same of $crowd suppliers with $((middle / crowd)) products each" \
                "$(ratio "$name-crowd-by-$by" "$name-crowd.floor")" at-least 0.8
        done
    done
    bar "first page of orders: time at $many_orders order groups over time at $few_orders" \
        "$(ratio orders.few orders.many)" below 1.5
    bar "server memory after the run, MB" "$(awk -v kib="$rss" 'BEGIN {printf "%.1f", kib / 1000}')" below 100
    for name in "${names[@]}"; do total_errors=$((total_errors + errors[$name])); done
    bar "answers that were errors" "$total_errors" below 1

    if [ "$json" = yes ]; then
        printf '{"products": [%s, %s, %s], "connections": %s, "rounds": %s, "seconds": %s, "workloads": {' \
            "$small" "$middle" "$large" "$connections" "$rounds" "$seconds"
        for name in "${names[@]}"; do
            printf '%s\n  "%s": {"per_second": %s, "p50_us": %s, "p99_us": %s, "server_cpu_ms": %s, "database_cpu_ms": %s, "client_cpu_ms": %s, "requests": %s, "errors": %s}' \
                "$comma" "$name" "$(median "${rates[$name]}")" "$(median "${p50s[$name]}")" "$(median "${p99s[$name]}")" \
                "$(per_request "${server_ticks[$name]}" "${requests[$name]}")" \
                "$(per_request "${database_ticks[$name]}" "${requests[$name]}")" \
                "$(per_request "${client_ticks[$name]}" "${requests[$name]}")" "${requests[$name]}" "${errors[$name]}"
            comma=,
        done
        printf '},\n "rss_kib": %s, "peak_rss_kib": %s, "bars": [' "$rss" "$peak"
        comma=""
        for text in "${bars[@]}"; do
            IFS='|' read -r text value kind limit verdict <<<"$text"
            printf '%s\n  {"bar": "%s", "value": %s, "kind": "%s", "limit": %s, "verdict": "%s"}' \
                "$comma" "$text" "$value" "$kind" "$limit" "${verdict,,}"
            comma=,
        done
        printf '\n]}\n'
        return
    fi
    printf '\n%-20s %10s %9s %9s   CPU ms per request of\n' "" "" "" ""
    printf '%-20s %10s %9s %9s %9s %9s %9s %8s\n' workload "per second" "p50 ms" "p99 ms" server database client errors
    for name in "${names[@]}"; do
        printf '%-20s %10.0f %9.2f %9.2f %9.3f %9.3f %9.3f %8d\n' "$name" "$(median "${rates[$name]}")" \
            "$(awk "BEGIN {print $(median "${p50s[$name]}") / 1000}")" \
            "$(awk "BEGIN {print $(median "${p99s[$name]}") / 1000}")" \
            "$(per_request "${server_ticks[$name]}" "${requests[$name]}")" \
            "$(per_request "${database_ticks[$name]}" "${requests[$name]}")" \
            "$(per_request "${client_ticks[$name]}" "${requests[$name]}")" "${errors[$name]}"
    done
    printf '\nsmall = %s products, middle = %s, large = %s; medians of %s rounds, p50 and p99 likewise\n' \
        "$small" "$middle" "$large" "$rounds"
    if [[ -v rates[list.small] ]]; then
        printf 'list.small costs the CPU time of %s floors, which is what its rate comes to on a machine of its own\n' \
            "$(awk -v list="$(whole_cost list.small)" -v floor="$(whole_cost list.floor)" 'BEGIN {printf "%.2f", list / floor}')"
    fi
    printf 'server memory: %s KiB resident, %s KiB at its peak\n\n' "$rss" "$peak"
    for text in "${bars[@]}"; do
        IFS='|' read -r text value kind limit verdict <<<"$text"
        printf '%-72s %8s  (%s %s)  %s\n' "$text" "$value" "${kind/-/ }" "$limit" "$verdict"
    done
}
