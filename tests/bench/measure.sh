# Part of tests/bench/run: one measurement, and the report over all of them.

shopt -s extglob

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

# measure NAME COMMAND...: runs the command, which prints a RESULT line, and keeps what it says. The server is supplierd, or
# measured_pid.
measure() {
    local name=$1 pid=${measured_pid:-$server_pid}
    shift
    wanted "${name%.@(plain|tuned)}" || return 0
    [[ -v rates[$name] ]] || { names+=("$name"); rates[$name]="" p50s[$name]="" p99s[$name]=""
        requests[$name]=0 errors[$name]=0 server_ticks[$name]=0 database_ticks[$name]=0 client_ticks[$name]=0; }
    local server_before database_before result
    server_before=$(cpu_ticks "$pid") database_before=$(cpu_ticks "$database_pid")
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/output" 2>"$work/errors"; } 2>"$work/times" || true
    result=$(sed -n 's/^RESULT //p' "$work/output")
    [ -n "$result" ] || { cat "$work/output" "$work/errors" >&2; fail "$name gave no result"; }
    kill -0 "$pid" 2>/dev/null || { cat "$work/server.out" >&2; fail "the server died in $name"; }
    set -- $result
    rates[$name]+=" $1" p50s[$name]+=" $4" p99s[$name]+=" $5"
    requests[$name]=$((requests[$name] + $2)) errors[$name]=$((errors[$name] + $3))
    server_ticks[$name]=$((server_ticks[$name] + $(cpu_ticks "$pid") - server_before))
    database_ticks[$name]=$((database_ticks[$name] + $(cpu_ticks "$database_pid") - database_before))
    client_ticks[$name]=$(awk -v before="${client_ticks[$name]}" '{print before + ($1 + $2) * 100}' "$work/times")
}

# drive PATH: of supplierd, or of what `target` says.
drive() {
    wrk --threads 1 --connections "$connections" --duration "${seconds}s" --timeout 10s --latency --script tests/bench/request.lua \
        "${target:-$url}$1"
}

# One of the paths that PATH stands for.
example() {
    local path=$1
    if [[ $path == *{id}* ]]; then path=${path/\{id\}/$(head -n 1 "$BENCH_IDS")}; fi
    echo "${path/\{term\}/avala}"
}

# get NAME KEY PATH. The first time it looks whether the server answers that at all.
get() {
    if ! [[ -v rates[$1] ]] && wanted "$1"; then
        ask "$2" "$(example "$3")" >"$work/answer" || { cat "$work/answer" >&2; fail "$1 is refused: $3"; }
    fi
    BENCH_KEY=$2 measure "$1" drive "$3"
}

# feed NAME BODY: orders, as the platform sends them.
feed() { settle; BENCH_KEY=$platform_key BENCH_METHOD=POST BENCH_BODY=$2 target=$platform_url measure "$1" drive /orders; }

post() { BENCH_KEY=$2 BENCH_METHOD=POST BENCH_BODY=$4 measure "$1" drive "$3"; }

# True when --only names one of these workloads.
wanted() {
    local name
    for name in "$@"; do
        if [[ $name =~ $only ]]; then return 0; fi
    done
    return 1
}

# bulk NAME KEY PATH NAMES-FILE product_id|sku stock_qty|base_price
bulk() {
    wanted "${1%.plain}" || return 0
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

# crowd NAME PATH product_id|sku stock_qty|base_price
crowd() {
    wanted "${1%.plain}" || return 0
    settle
    BENCH_METHOD=POST BENCH_NAME=$3 BENCH_FIELD=$4 measure "$1" for_crowd crowd_bulk "$2"
}

# beside PACE WRITERS GET NAME KEY PATH: a request while so many connections set 500 stocks of the same supplier, the middle
# one, as often a second (0: as often as they can). GET is get, or what does the same elsewhere. Sets updates_beside.
beside() {
    local pace=$1 writers=$2 writer
    shift 2
    wanted "${2%.@(plain|tuned)}" || return 0
    settle
    BENCH_KEY=$middle_key BENCH_METHOD=POST BENCH_NAMES=$work/middle.ids BENCH_NAME=product_id BENCH_FIELD=stock_qty \
        BENCH_PACE=${pace#0} connections=$writers seconds=$((seconds + 1)) drive /stock >"$work/writer" &
    writer=$!
    sleep 0.5
    "$@"
    wait "$writer"
    updates_beside=$(awk '/^RESULT/ {print $4 ? 0 : $2}' "$work/writer")
    settle
}

# half NAME OF KEY PATH: requests at half the rate that the workload OF reached last, each at its time.
half() {
    local rate
    wanted "$1" && [[ -v rates[$2] ]] || return 0
    rate=$(awk '{print int($NF / 2)}' <<<"${rates[$2]}")
    BENCH_KEY=$3 measure "$1" "$build/bin/supplierd-bench-paced" "$(sed 's|.*:\([0-9]*\)/.*|\1|' <<<"$url")" \
        "${url##*:+([0-9])}$4" "$rate" "$seconds" "$connections"
}

# Waits until the database has cleaned up behind earlier writes and ended the queries that nobody waits for any more, so
# that they slow nobody else down.
settle() {
    local waited=0
    while [ "$(sql "SELECT (SELECT count FROM information_schema.INNODB_METRICS WHERE name = 'trx_rseg_history_len') > 50
        OR EXISTS (SELECT 1 FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Query', 'Execute') AND USER = 'root'
            AND ID <> CONNECTION_ID())")" = 1 ] && [ $waited -lt 100 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
}

median() { tr ' ' '\n' <<<"$1" | grep . | sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# What a workload's rate is of another's, round by round: the median of the ratios. Noise of the machine is in both.
ratio() {
    [[ -v rates[$1] && -v rates[$2] ]] || { echo null; return; }
    median "$(ratios "$1" "$2")"
}

ratios() {
    paste -d ' ' <(tr ' ' '\n' <<<"${rates[$1]}" | grep .) <(tr ' ' '\n' <<<"${rates[$2]}" | grep .) |
        awk '$2 > 0 {printf "%.4f\n", $1 / $2}'
}

times() { local value; value=$(ratio "$1" "$1$2"); [ "$value" = null ] || printf '%.2f' "$value"; }

# How many times as much CPU time, of server and database, the reference takes for a request: cpu_ratio NAME REFERENCE. Where
# others use the machine, too, this says more than rates.
cpu_ratio() {
    [[ -v rates[$1] && -v rates[$2] ]] || { echo null; return; }
    awk -v own="$((server_ticks[$1] + database_ticks[$1]))" -v requests="${requests[$1]}" \
        -v other="$((server_ticks[$2] + database_ticks[$2]))" -v others="${requests[$2]}" \
        'BEGIN {if (own > 0 && requests > 0 && others > 0) printf "%.4f\n", other / others * requests / own; else print "null"}'
}

cpu_times() { local value; value=$(cpu_ratio "$1" "$1$2"); [ "$value" = null ] || printf '%.1f' "$value"; }

per_request() { awk -v ticks="$1" -v requests="$2" 'BEGIN {printf "%.4f", (requests > 0 ? ticks * 10 / requests : 0)}'; }

# The least of what ratio or cpu_ratio says of these workloads and those of the same names with a suffix:
# least ratio|cpu_ratio .plain|.tuned NAME...
least() {
    local kind=$1 suffix=$2 name
    shift 2
    for name in "$@"; do "$kind" "$name" "$name$suffix"; done | grep -v null | sort -g | sed -n 1p | grep . || echo null
}

# How many times as fast the fastest of these workloads is as the slowest.
spread() {
    local name
    for name in "$@"; do
        if [[ -v rates[$name] ]]; then median "${rates[$name]}"; fi
    done | sort -g | awk '{v[NR] = $1} END {if (NR > 1 && v[1] > 0) printf "%.2f\n", v[NR] / v[1]; else print "null"}'
}

# How many times the CPU time of server and database a request of the dearest of these workloads takes as of the cheapest.
cpu_spread() {
    local name
    for name in "$@"; do
        if [[ -v rates[$name] ]]; then per_request $((server_ticks[$name] + database_ticks[$name])) "${requests[$name]}"; echo; fi
    done | sort -g | awk '{v[NR] = $1} END {if (NR > 1 && v[1] > 0) printf "%.2f\n", v[NR] / v[1]; else print "null"}'
}

memory_kib() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$server_pid/status"; }

# Sets loading_seconds, the time of the first list after a start that is sorted otherwise than rows lie in the database,
# loading_cpu, the CPU time of server and database for it, and bytes_a_product, by which the server has grown when it has
# sorted lists by everything and searched.
measure_loading() {
    local before sort server_before database_before
    loading_seconds=null loading_cpu="" bytes_a_product=null
    wanted loading || return 0
    # With --data the database has just started; elsewhere it has the products in memory, since it loaded them.
    sql "SELECT COUNT(*) FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = 3 AND description = '';
        SELECT COUNT(sku) FROM product_skus WHERE supplier_id = 3" >/dev/null
    before=$(memory_kib VmRSS) server_before=$(cpu_ticks "$server_pid") database_before=$(cpu_ticks "$database_pid")
    local began=${EPOCHREALTIME/./}
    ask "$large_key" "/products?per_page=20&sort=name" >"$work/answer"
    loading_seconds=$(awk "BEGIN {print (${EPOCHREALTIME/./} - $began) / 1000000}")
    loading_cpu="$(awk "BEGIN {print ($(cpu_ticks "$server_pid") - $server_before) / 100, ($(cpu_ticks "$database_pid") - $database_before) / 100}")"
    for sort in "${sorts[@]}"; do ask "$large_key" "/products?per_page=20&sort=$sort" >"$work/answer"; done
    ask "$large_key" "/products?per_page=20&search=avalanche" >"$work/answer"
    bytes_a_product=$((($(memory_kib VmRSS) - before) * 1024 / large))
}

bars=()
missed=0

# bar TEXT VALUE at-least|at-most|below LIMIT
bar() {
    local verdict
    if [ "$2" = null ]; then
        verdict="not measured"
    elif awk -v value="$2" -v kind="$3" -v limit="$4" \
        'BEGIN {exit !(kind == "at-least" ? value >= limit : kind == "at-most" ? value <= limit : value < limit)}'; then
        verdict=met
    else
        verdict=MISSED
        missed=$((missed + 1))
    fi
    bars+=("$1|$2|$3|$4|$verdict")
}

# The bars of what the reference server is measured with.
bars_of_peers() {
    local subject by name lists=() deep=()
    for name in "${!rates[@]}"; do
        case "$name" in
            *.plain|*.tuned) ;;
            list.quiet|list.beside) ;;
            list.*|sort.*) lists+=("$name") ;;
            deep.*) deep+=("$name") ;;
        esac
    done
    bar "list of $small products under any sort, of the plain reference" "$(least ratio .plain list.small "${small_sorts[@]}")" at-least 6
    bar "the same, of the tuned reference" "$(least ratio .tuned list.small "${small_sorts[@]}")" at-least 3
    bar "list of $small products under any sort: CPU time of the plain reference over its own" \
        "$(least cpu_ratio .plain list.small "${small_sorts[@]}")" at-least 6
    bar "the same, of the tuned reference" "$(least cpu_ratio .tuned list.small "${small_sorts[@]}")" at-least 3
    bar "lists of all sizes and sorts: the fastest over the slowest" "$(spread "${lists[@]}")" at-most 1.2
    bar "the same by CPU time: the dearest over the cheapest" "$(cpu_spread "${lists[@]}")" at-most 1.2
    bar "page $deep_page by number at $large under any sort and filter: time over the first page's" \
        "$(for name in "${deep[@]}"; do ratio list.large "$name"; done | grep -v null | sort -gr | sed -n 1p | grep . || echo null)" at-most 2
    bar "search with total at $middle, of the plain reference" "$(ratio search.middle search.middle.plain)" at-least 100
    bar "search with total at $large, of the plain reference" "$(ratio search.large search.large.plain)" at-least 50
    bar "a product by id, of the plain reference" "$(ratio detail.large detail.large.plain)" at-least 1.8
    bar "categories, of the plain reference" "$(ratio categories categories.plain)" at-least 2.5
    bar "an order group by id, of the plain reference" "$(ratio orders.detail orders.detail.plain)" at-least 2.5
    for subject in stock prices; do
        for by in id sku; do
            name=$subject-crowd-by-$by
            bar "bulk $subject of 500 items by $by, $crowd suppliers, of the reference's one UPDATE" "$(ratio "$name" "$name.plain")" \
                at-least "$([ "$subject" = stock ] && echo 1.7 || echo 1.3)"
            name=$subject-by-$by
            bar "the same of one supplier with $middle products" "$(ratio "$name" "$name.plain")" \
                at-least "$([ "$subject" = stock ] && echo 1.4 || echo 1)"
            bar "the database's CPU time for it, ms" \
                "$([[ -v rates[$name] ]] && per_request "${database_ticks[$name]}" "${requests[$name]}" || echo null)" at-most 6
        done
    done
}

# What a workload's rate is of the reference's in the last round, when both have seen all of it before.
last_ratio() { [[ -v rates[$1] && -v rates[$1.plain] ]] && ratios "$1" "$1.plain" | tail -n 1 || echo null; }

rate_of() { [[ -v rates[$1] ]] && median "${rates[$1]}" || echo null; }
p99_ms() { [[ -v p99s[$1] ]] && awk -v us="$(median "${p99s[$1]}")" 'BEGIN {printf "%.1f", us / 1000}' || echo null; }

# Many suppliers, what no memory has, and what a supplier reads while his own system pushes stock.
bars_of_many() {
    bar "products that are not in memory, of the plain reference" "$(ratio detail.cold detail.cold.plain)" at-least 1.3
    bar "order groups that are not in memory, of the plain reference" "$(ratio orders.cold orders.cold.plain)" at-least 1.3
    bar "list of $crowd suppliers in turn, of the plain reference" "$(ratio list.crowd list.crowd.plain)" at-least 14
    bar "list of $many suppliers in turn, in the last round, of the plain reference" "$(last_ratio list.many)" at-least 8
    bar "a product of $crowd suppliers in turn, of the plain reference" "$(ratio detail.crowd detail.crowd.plain)" at-least 2.2
    bar "list beside 16 connections that push stock of the same supplier, a second" "$(rate_of list.pushed)" at-least 6000
    bar "its p99, ms" "$(p99_ms list.pushed)" at-most 30
    bar "a product beside them: p99, ms" "$(p99_ms detail.pushed)" at-most 30
    bar "search of a term that nobody has searched for, at $large, a second" "$(rate_of search.new)" at-least 900
    bar "CPU time of a list at half of its rate, ms" \
        "$([[ -v rates[list.half] ]] && per_request $((server_ticks[list.half] + database_ticks[list.half])) "${requests[list.half]}" || echo null)" at-most 0.065
}

report() {
    local rss peak name text value kind limit verdict comma="" total_errors=0 unmeasured=0
    rss=$(memory_kib VmRSS) peak=$(memory_kib VmHWM)
    bars_of_peers
    bars_of_many
    bar "list of $middle beside 50 bulk updates a second: p99 over its quiet one" \
        "$([[ -v rates[list.beside] ]] && awk "BEGIN {print $(median "${p99s[list.beside]}") / $(median "${p99s[list.quiet]}")}" || echo null)" at-most 3
    bar "bulk updates a second beside it" "$([ -n "$paced_updates" ] && median "$paced_updates" || echo null)" at-least 45
    bar "first sorted list of $large products after a start, s" "$loading_seconds" below 3
    bar "memory for lists under all sorts at $large, bytes a product" "$bytes_a_product" at-most 160
    bar "first page by status with totals: time at $large over time at $small" "$(ratio status.small status.large)" below 1.5
    bar "cursor page deep inside $large: time over the first page's" "$(ratio list.large cursor.large)" below 1.5
    bar "first page of orders: time at $many_orders order groups over time at $few_orders" \
        "$(ratio orders.few orders.many)" below 1.5
    bar "server memory after the run, MB (caches have 336)" "$(awk -v kib="$rss" 'BEGIN {printf "%.1f", kib * 1024 / 1000000}')" at-most 396
    for name in "${names[@]}"; do total_errors=$((total_errors + errors[$name])); done
    bar "answers that were errors" "$total_errors" below 1

    if [ "$json" = yes ]; then
        printf '{"products": [%s, %s, %s], "connections": %s, "rounds": %s, "seconds": %s, "workloads": {' \
            "$small" "$middle" "$large" "$connections" "$rounds" "$seconds"
        for name in "${names[@]}"; do
            printf '%s\n  "%s": {"per_second": %s, "p50_us": %s, "p99_us": %s, "server_cpu_ms": %s, "database_cpu_ms": %s, "client_cpu_ms": %s, "requests": %s, "errors": %s, "of_plain": %s, "of_tuned": %s, "cpu_of_plain": %s, "cpu_of_tuned": %s}' \
                "$comma" "$name" "$(median "${rates[$name]}")" "$(median "${p50s[$name]}")" "$(median "${p99s[$name]}")" \
                "$(per_request "${server_ticks[$name]}" "${requests[$name]}")" \
                "$(per_request "${database_ticks[$name]}" "${requests[$name]}")" \
                "$(per_request "${client_ticks[$name]}" "${requests[$name]}")" "${requests[$name]}" "${errors[$name]}" \
                "$(ratio "$name" "$name.plain")" "$(ratio "$name" "$name.tuned")" \
                "$(cpu_ratio "$name" "$name.plain")" "$(cpu_ratio "$name" "$name.tuned")"
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
    printf '\n%-26s %10s %9s %9s   CPU ms per request of                  times the reference   the same by CPU\n' "" "" "" ""
    printf '%-26s %10s %9s %9s %9s %9s %9s %8s %8s %8s %8s %8s\n' workload "per second" "p50 ms" "p99 ms" server database client \
        errors plain tuned plain tuned
    for name in "${names[@]}"; do
        printf '%-26s %10.1f %9.2f %9.2f %9.3f %9.3f %9.3f %8d %8s %8s %8s %8s\n' "$name" "$(median "${rates[$name]}")" \
            "$(awk "BEGIN {print $(median "${p50s[$name]}") / 1000}")" \
            "$(awk "BEGIN {print $(median "${p99s[$name]}") / 1000}")" \
            "$(per_request "${server_ticks[$name]}" "${requests[$name]}")" \
            "$(per_request "${database_ticks[$name]}" "${requests[$name]}")" \
            "$(per_request "${client_ticks[$name]}" "${requests[$name]}")" "${errors[$name]}" \
            "$(times "$name" .plain)" "$(times "$name" .tuned)" "$(cpu_times "$name" .plain)" "$(cpu_times "$name" .tuned)"
    done
    printf '\nsmall = %s products, middle = %s, large = %s; medians of %s rounds, p50 and p99 likewise\n' \
        "$small" "$middle" "$large" "$rounds"
    printf 'server memory: %s KiB resident, %s KiB at its peak\n' "$rss" "$peak"
    if [ -n "$loading_cpu" ]; then
        printf 'CPU time of the first sorted list of %s products: server %s s, database %s s\n' "$large" $loading_cpu
    fi
    echo
    for text in "${bars[@]}"; do
        IFS='|' read -r text value kind limit verdict <<<"$text"
        if [ "$value" = null ]; then
            unmeasured=$((unmeasured + 1))
            continue
        fi
        printf '%-86s %8s  (%s %s)  %s\n' "$text" "$value" "${kind/-/ }" "$limit" "$verdict"
    done
    if [ $unmeasured != 0 ]; then echo "bars not measured: $unmeasured"; fi
}
