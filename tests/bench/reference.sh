# Part of tests/bench/run: the reference server (tests/bench/reference) in its two modes, and what it is measured with.

modes=(plain tuned)
declare -A mode_url mode_pid slow

# Brings its tables up to date and starts it in both modes. Sets mode_url, mode_pid.
start_references() {
    local mode waited
    say "building the reference server, bringing its tables up to date"
    (cd tests/bench/reference && GO111MODULE=off GOFLAGS="" GOPATH=/usr/share/gocode GOCACHE="$work/go-cache" \
        go build -o "$work/reference" .) || fail "the reference server does not build"
    run_sql_file reference/tables.sql "" >"$work/tables.log"
    for mode in "${modes[@]}"; do
        "$work/reference" --socket "$socket" --mode "$mode" --address-file "$work/$mode.address" >"$work/$mode.log" 2>&1 &
        mode_pid[$mode]=$!
        waited=0
        until [ -s "$work/$mode.address" ]; do
            kill -0 "${mode_pid[$mode]}" 2>/dev/null && [ $waited -lt 100 ] || { cat "$work/$mode.log" >&2; fail "the reference server does not start"; }
            sleep 0.1
            waited=$((waited + 1))
        done
        mode_url[$mode]=$(cat "$work/$mode.address")/api/v1/supplier
    done
}

# at MODE COMMAND...: runs a command with the reference server in supplierd's place.
at() {
    local mode=$1
    shift
    target=${mode_url[$mode]} measured_pid=${mode_pid[$mode]} "$@"
}

# What the reference has not (the cursor) or has in other words (none so far) is left out.
comparable() { jq -S 'del(.data.pagination.next_cursor?)' <"$1"; }

# same NAME MODE KEY PATH [BODY]: fails unless the reference answers as supplierd does. Remembers whether it takes long.
same() {
    local name=$1 mode=$2
    shift 2
    ask "$@" >"$work/answer" || { cat "$work/answer" >&2; fail "$name is refused"; }
    local began=${EPOCHREALTIME/./}
    at "$mode" ask "$@" >"$work/answer.$mode" || { cat "$work/answer.$mode" "$work/$mode.log" >&2; fail "$name.$mode is refused"; }
    if [ $((${EPOCHREALTIME/./} - began)) -gt 200000 ]; then slow[$name.$mode]=yes; fi
    diff <(comparable "$work/answer") <(comparable "$work/answer.$mode") >"$work/difference" ||
        { head -n 40 "$work/difference" >&2; fail "$name: the reference server ($mode) answers otherwise than supplierd"; }
}

# compare NAME KEY PATH: get, then the same of the reference in both modes. Where a request takes long there, two
# connections keep the processors busy, and more of them would only wait longer than the measurement.
compare() {
    local mode
    get "$@"
    wanted "$1" && [ "$alone" = no ] || return 0
    for mode in "${modes[@]}"; do
        [[ -v rates[$1.$mode] ]] || same "$1" "$mode" "$2" "$(example "$3")"
        if [[ -v slow[$1.$mode] ]]; then
            connections=2 seconds=$((3 * seconds)) BENCH_KEY=$2 at "$mode" measure "$1.$mode" drive "$3"
            settle
        else
            BENCH_KEY=$2 at "$mode" measure "$1.$mode" drive "$3"
        fi
    done
}

# compare_bulk NAME KEY PATH NAMES-FILE product_id|sku stock_qty|base_price: bulk, of the reference in one mode, since its
# modes set stocks and prices alike.
compare_bulk() {
    bulk "$@"
    wanted "$1" && [ "$alone" = no ] || return 0
    [[ -v rates[$1.plain] ]] || same "$1" plain "$2" "$3" "$(few_items "$4" "$5" "$6")"
    at plain bulk "$1.plain" "${@:2}"
}

# compare_crowd NAME PATH product_id|sku stock_qty|base_price
compare_crowd() {
    crowd "$@"
    wanted "$1" && [ "$alone" = no ] || return 0
    [[ -v rates[$1.plain] ]] || same "$1" plain "${crowd_keys[0]}" "$2" "$(few_items "$work/$3.0" "$3" "$4")"
    at plain crowd "$1.plain" "${@:2}"
}

# Two items of a bulk request of which the second is no product: few_items NAMES-FILE product_id|sku stock_qty|base_price
few_items() {
    local name
    name=$(head -n 1 "$1")
    if [ "$2" = sku ]; then name="\"$name\""; fi
    echo "{\"items\": [{\"$2\": $name, \"$3\": 12}, {\"sku\": \"NO-SUCH\", \"$3\": 12}]}"
}
