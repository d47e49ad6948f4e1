# Part of tests/bench/run: the private MariaDB with its products, and the server on it.

sql() {
    mariadb --no-defaults --socket="$socket" --user=root --default-character-set=utf8mb4 --skip-column-names --batch \
        --database=supplierd_bench --execute="$1"
}

run_sql_file() {
    { echo "$2"; cat "tests/bench/$1"; } |
        mariadb --no-defaults --socket="$socket" --user=root --default-character-set=utf8mb4 --database=supplierd_bench
}

start_database() {
    database_dir=${data:-$work/mariadb}
    say "starting a private MariaDB in $database_dir"
    packaging/private-mariadb start --dir "$database_dir" --json >"$work/mariadb.json"
    socket=$(sed -n 's/.*"socket": "\([^"]*\)".*/\1/p' "$work/mariadb.json")
    database_pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$work/mariadb.json")
    mariadb --no-defaults --socket="$socket" --user=root --execute="
        CREATE DATABASE IF NOT EXISTS supplierd_bench CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
        SET GLOBAL innodb_log_file_size = 256 * 1024 * 1024;
        SET GLOBAL innodb_buffer_pool_size = $([ "$quick" = yes ] && echo 512 || echo 1536) * 1024 * 1024"
}

# Migrates, starts supplierd and waits until it is ready. Sets server_pid, url, admin_url.
start_server() {
    local bin=$build/bin
    mkdir -p "$work/plugins-enabled"
    for plugin in ${plugins:-categories catalog inventory orders platform}; do
        ln -sfn "$build/plugins/$plugin.so" "$work/plugins-enabled/$plugin.so"
    done
    cat >"$work/supplierd.toml" <<END
[server]
listen = "127.0.0.1:0"
admin_listen = "127.0.0.1:0"
control_socket = "$work/control.sock"
address_file = "$work/address.json"
plugin_dir = "$build/plugins"
plugins_enabled = "$work/plugins-enabled"
[database]
socket = "$socket"
user = "root"
name = "supplierd_bench"
[log]
access_log = "$work/access.log"
file = "$work/server.log"
END
    chmod 600 "$work/supplierd.toml"
    mkdir -p "$work/conf.d"
    if [ -n "$config" ]; then cp "$config" "$work/conf.d/bench.toml"; fi
    "$bin/supplierctl" --config "$work/supplierd.toml" migrate >"$work/migrate.log" 2>&1 ||
        { cat "$work/migrate.log" >&2; fail "supplierctl migrate failed"; }
    "$bin/supplierd" --config "$work/supplierd.toml" >"$work/server.out" 2>&1 &
    server_pid=$!
    local waited=0
    until [ -s "$work/address.json" ] && admin_url=$(address admin_url) && curl -sf -o /dev/null "$admin_url/readyz"; do
        if ! kill -0 "$server_pid" 2>/dev/null || [ $waited -ge 300 ]; then
            cat "$work/server.out" "$work/server.log" >&2 || true
            fail "the server does not start"
        fi
        sleep 0.1
        waited=$((waited + 1))
    done
    url=$(address url)/api/v1/supplier
    platform_url=$(address url)/api/v1/platform
    say "supplierd runs at $url"
}

address() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$work/address.json"; }

load_products() {
    local stamp
    stamp="${sizes[*]} ${order_sizes[*]} $crowd $many $(cat tests/bench/{categories,supplier,products,skus,orders,many,reference/tables}.sql host/migrations/*.sql plugins/*/migrations/*.sql | cksum)"
    sql "CREATE TABLE IF NOT EXISTS bench_loaded (stamp VARCHAR(255) NOT NULL)"
    local loaded
    loaded=$(sql "SELECT stamp FROM bench_loaded")
    if [ "$loaded" = "$stamp" ]; then
        say "the products in $data are as they should be"
        return
    fi
    [ -z "$loaded" ] && [ "$(sql "SELECT COUNT(*) FROM suppliers")" = 0 ] ||
        fail "$data holds other products than this version loads; remove it"
    sql "SET GLOBAL innodb_flush_log_at_trx_commit = 0"
    run_sql_file categories.sql ""
    local supplier=0 size from to rows
    for size in "${sizes[@]}" 1000; do
        supplier=$((supplier + 1))
        run_sql_file supplier.sql "SET @supplier = $supplier;"
        rows=$((size / 50 * 51))
        for ((from = 1; from <= rows; from += 100000)); do
            to=$((from + 99999 < rows ? from + 99999 : rows))
            run_sql_file products.sql "SET @supplier = $supplier, @products = $size, @from = $from, @to = $to;"
            say "supplier $supplier: $to of $rows rows loaded"
        done
        run_sql_file skus.sql "SET @supplier = $supplier, @products = $size;"
    done
    # As many products as the middle one has, of $crowd suppliers.
    size=$((middle / crowd)) rows=$((middle / crowd / 50 * 51))
    for ((supplier = 101; supplier <= 100 + crowd; supplier++)); do
        run_sql_file supplier.sql "SET @supplier = $supplier;"
        run_sql_file products.sql "SET @supplier = $supplier, @products = $size, @from = 1, @to = $rows;"
        run_sql_file skus.sql "SET @supplier = $supplier, @products = $size;"
    done
    say "$crowd suppliers: $rows rows each loaded"
    run_sql_file many.sql "SET @suppliers = $many;"
    say "$many suppliers: 10 rows each loaded"
    supplier=4
    for size in "${order_sizes[@]}"; do
        supplier=$((supplier + 1))
        run_sql_file supplier.sql "SET @supplier = $supplier;"
        run_sql_file orders.sql "SET @supplier = $supplier, @groups = $size;"
        say "supplier $supplier: $size order groups loaded"
    done
    sql "ANALYZE TABLE products, product_skus, supplier_state, categories, orders, order_groups,
        order_items, order_status_history, order_totals" >/dev/null
    sql "SET GLOBAL innodb_flush_log_at_trx_commit = 1"
    sql "INSERT INTO bench_loaded VALUES ('$stamp')"
}

# Sets small_key, middle_key, large_key, writer_key, few_orders_key, many_orders_key, and platform_key, which is an
# operator's, and crowd_keys, those of the crowd. A key is in no argument list.
create_keys() {
    local supplier=0 name id key owner
    sql "DELETE FROM api_keys"
    for name in small_key middle_key large_key writer_key few_orders_key many_orders_key platform_key; do
        supplier=$((supplier + 1))
        id=$(random_text 8)
        key="sk_${id}_$(random_text 43)" owner=$supplier
        if [ "$name" = platform_key ]; then key=ok_${key#sk_} owner=NULL; fi
        printf -v "$name" '%s' "$key"
        run_sql_file key.sql "SET @supplier = $owner, @key_id = '$id', @key = '$key';"
    done
    crowd_keys=()
    for ((supplier = 101; supplier <= 100 + crowd; supplier++)); do
        id=$(random_text 8)
        key="sk_${id}_$(random_text 43)"
        crowd_keys+=("$key")
        run_sql_file key.sql "SET @supplier = $supplier, @key_id = '$id', @key = '$key';"
    done
    printf '%s\n' "${crowd_keys[@]}" >"$work/crowd.keys"
    sql "INSERT INTO api_keys (key_id, key_hash, kind, supplier_id, name, hourly_limit)
        SELECT key_id, UNHEX(SHA2(CONCAT('sk_', key_id, '_', LPAD(seq, 43, '0')), 256)), 'supplier', 10000 + seq, 'bench', 2000000000
        FROM (SELECT seq, CONCAT('m', LPAD(seq, 7, '0')) key_id FROM seq_1_to_100000 WHERE seq <= $many) k"
    seq "$many" | awk '{printf "sk_m%07d_%043d\n", $1, $1}' >"$work/many.keys"
}

random_text() { head -c 512 /dev/urandom | base64 -w 0 | tr -d '+/=' | cut -c "1-$1"; }

# ask KEY PATH [BODY]: the answer of supplierd, or of what `target` says; fails when it is an error. The key is in no
# argument list.
ask() {
    curl -sS --fail-with-body -K - ${3:+--json "$3"} "${target:-$url}$2" <<<"header = \"Authorization: Bearer $1\""
}

# The cursor that goes on after a page: cursor_of_page KEY PAGE.
cursor_of_page() {
    local cursor
    cursor=$(ask "$1" "/products?per_page=20&page=$2" | sed -n 's/.*"next_cursor": *"\([^"]*\)".*/\1/p')
    [ -n "$cursor" ] || fail "page $2 has no next_cursor"
    echo "$cursor"
}
