#include "MailSources.h"

#include <supplierd/AddressNetwork.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace supplierd::dashboard {

namespace {

// A first time looks no further back than SELECT_PROGRESS does.
constexpr std::string_view BEGIN = R"sql(
INSERT INTO dashboard_mail_progress (source, read_until) VALUES (?, NOW(6) - INTERVAL ? SECOND)
ON DUPLICATE KEY UPDATE source = VALUES(source)
)sql";

// The second is the time from which on entries may have come late: a transaction commits some time after its entry got
// its number and its time, and a use of a key is recorded up to a minute after it was.
constexpr std::string_view SELECT_PROGRESS = R"sql(
SELECT GREATEST(read_until - INTERVAL 15 MINUTE, NOW(6) - INTERVAL 1 DAY), read_until > NOW(6) - INTERVAL 5 MINUTE
FROM dashboard_mail_progress WHERE source = ?
)sql";

constexpr std::string_view SET_PROGRESS = R"sql(
UPDATE dashboard_mail_progress SET read_until = NOW(6) WHERE source = ?
)sql";

// Whole seconds, as lists of orders have them. A minute's orders may not be committed yet. What lies longer back than a
// day before the interval is no news.
constexpr std::string_view SELECT_ORDER_TIMES = R"sql(
SELECT read_until <= NOW(6) - INTERVAL ? SECOND - INTERVAL 1 MINUTE,
       DATE_FORMAT(GREATEST(read_until, NOW(6) - INTERVAL ? SECOND - INTERVAL 1 DAY), '%Y-%m-%dT%H:%i:%s.%fZ'),
       DATE_FORMAT(NOW(6) - INTERVAL 61 SECOND, '%Y-%m-%dT%H:%i:%sZ'),
       DATE_FORMAT(NOW(6) - INTERVAL 60 SECOND, '%Y-%m-%d %H:%i:%s')
FROM dashboard_mail_progress WHERE source = 'order'
)sql";

constexpr std::string_view SET_ORDER_TIME = R"sql(
UPDATE dashboard_mail_progress SET read_until = ? WHERE source = 'order'
)sql";

constexpr std::string_view ADD_ADDRESS = R"sql(
INSERT IGNORE INTO dashboard_key_addresses (key_id, network) VALUES (?, ?)
)sql";

constexpr std::string_view TOUCH_ADDRESS = R"sql(
UPDATE dashboard_key_addresses SET seen_at = NOW(6) WHERE key_id = ? AND network = ?
)sql";

constexpr std::int64_t LATE_ORDERS = 60;
/// Of a hundred entries: more within one run are a flood, which nobody wants to be mailed about.
constexpr int MAX_PAGES = 50;
constexpr std::size_t MAX_TAKEN = 20'000;

/// A text of one of an entry's JSON objects; "" when it has none of that name. Plugins write entries, and one that is
/// not as it should be keeps no other back.
std::string textIn(const std::string& json, std::string_view name) {
    try {
        const JsonDocument document = parseJsonObject(json.empty() ? "{}" : json);
        const JsonValue value = document.get(name);
        return value.isText() ? std::string(value.text()) : std::string();
    } catch (const ApiError&) {
        return {};
    }
}

/// An IPv4 address, or the /64 of an IPv6 address: a household changes addresses within it every day.
std::string networkOf(const std::string& address) {
    auto network = AddressNetwork::parse(address);
    if (!network || network->isIPv4)
        return address;
    std::fill(network->bytes.begin() + 8, network->bytes.end(), std::uint8_t{0});
    network->prefixLength = 64;
    return network->toString();
}

QueryParameters behind(QueryParameters query, const std::string& cursor) {
    query.emplace_back("cursor", cursor);
    return query;
}

std::string totalText(const std::map<std::string, std::int64_t>& totals) {
    std::string text;
    for (const auto& [currency, amount] : totals) {
        std::string cents = std::to_string(amount / 100 % 100);
        cents.insert(0, 2 - cents.size(), '0');
        text.append(text.empty() ? "" : ", ").append(currency).append(" ");
        text.append(std::to_string(amount / 10'000)).append(".").append(cents);
    }
    return text;
}

} // namespace

void MailSources::read(JobRun& run) {
    follow(run, "key");
    follow(run, "webhook");
    if (_deps.orders != nullptr)
        countOrders(run);
}

void MailSources::follow(JobRun& run, const std::string& object) {
    const Progress progress = progressOf(run, object);
    const QueryParameters query{{"object", object}, {"created_from", progress.since}, {"per_page", "100"}};
    std::vector<AuditRecord> found;
    Listed<AuditRecord> list = _deps.audit.list(_deps.database, query);
    for (int pages = 1;; ++pages) {
        for (AuditRecord& record : list.items)
            if (!_taken.contains(record.id))
                found.push_back(std::move(record));
        if (!list.pagination.nextCursor || pages == MAX_PAGES)
            break;
        run.throwIfStopped();
        list = _deps.audit.list(_deps.database, behind(query, *list.pagination.nextCursor));
    }
    if (found.empty() && progress.isFresh)
        return;
    run.withTransaction([&](Transaction& transaction) {
        std::for_each(found.rbegin(), found.rend(), [&](const AuditRecord& record) { take(transaction, record); });
        transaction.execute(SET_PROGRESS, {object});
    });
    if (_taken.size() > MAX_TAKEN)
        _taken.clear(); // a cause is mailed once all the same
    for (const AuditRecord& record : found)
        _taken.insert(record.id);
}

MailSources::Progress MailSources::progressOf(JobRun& run, const std::string& object) {
    const auto read = [&] {
        return _deps.database.read([&](SqlSession& session) {
            Rows& row = session.query(SELECT_PROGRESS, {object});
            return row.next() ? std::optional(Progress{row.time(0), row.boolean(1)}) : std::nullopt;
        });
    };
    if (auto progress = read())
        return *progress;
    run.withTransaction([&](Transaction& transaction) { transaction.execute(BEGIN, {object, 0}); });
    return read().value();
}

void MailSources::take(Transaction& transaction, const AuditRecord& record) {
    if (record.entry.object == "key")
        takeKey(transaction, record);
    else
        takeWebhook(transaction, record);
}

void MailSources::takeKey(Transaction& transaction, const AuditRecord& record) {
    const AuditEntry& entry = record.entry;
    const bool isNew = entry.action == "key.create";
    const std::string address = textIn(entry.after, "address");
    if (!isNew && address.empty())
        return;
    bool isNewAddress = false;
    if (!isNew) {
        // Where it was used from before may be from before there was such a table.
        if (const std::string before = textIn(entry.before, "address"); !before.empty())
            transaction.execute(ADD_ADDRESS, {entry.objectId, networkOf(before)});
        const std::string network = networkOf(address);
        const bool isAdded = transaction.execute(ADD_ADDRESS, {entry.objectId, network}) == 1;
        if (!isAdded)
            transaction.execute(TOUCH_ADDRESS, {entry.objectId, network});
        isNewAddress = isAdded && entry.action == "key.new_address";
    }
    const auto key = isNew || isNewAddress ? _deps.accounts.findKey(transaction, entry.objectId) : std::nullopt;
    if (!key)
        return;
    const Texts values{{"store", storeName(transaction, entry.supplierId)},
                       {"key", key->name.empty() ? key->prefix : key->name + " (" + key->prefix + ")"},
                       {"actor", entry.actor},
                       {"address", address}};
    // A key that wanders from address to address is told once a day.
    const std::string cause = isNew ? "audit:" + std::to_string(record.id)
                                    : "key:" + std::to_string(entry.objectId) + ":" + record.createdAt.substr(0, 10);
    _deps.queue.addForAll(transaction, entry.supplierId,
                          *chosenMail(isNew ? MailKind::KEY_CREATED : MailKind::KEY_NEW_ADDRESS), cause, values);
}

void MailSources::takeWebhook(Transaction& transaction, const AuditRecord& record) {
    const AuditEntry& entry = record.entry;
    if (entry.action != "webhook.disable" || !entry.supplierId)
        return;
    const std::string url = textIn(entry.after, "url");
    const std::string description = textIn(entry.after, "description");
    const Texts values{{"store", storeName(transaction, entry.supplierId)},
                       {"webhook", !description.empty() ? "“" + description + "”"
                                   : !url.empty()       ? url.substr(0, url.find_first_of("?#"))
                                                        : "#" + std::to_string(entry.objectId)},
                       {"reason", textIn(entry.after, "disabled_reason")}};
    _deps.queue.addForAll(transaction, entry.supplierId, *chosenMail(MailKind::WEBHOOK_OFF),
                          "audit:" + std::to_string(record.id), values);
}

std::string MailSources::storeName(SqlSession& session, std::optional<std::int64_t> supplierId) {
    const auto store = supplierId ? _deps.accounts.findSupplier(session, *supplierId) : std::nullopt;
    return store ? store->name : std::string(); // of an operator's: the marketplace's, which the texts have
}

void MailSources::countOrders(JobRun& run) {
    struct Count {
        std::string store;
        std::int64_t orders = 0;
        std::map<std::string, std::int64_t> totals; ///< by currency, in 1/10,000
    };
    const std::int64_t interval = _deps.digestInterval.count();
    std::string from;
    std::string to;
    std::string until;
    bool isBegun = false;
    _deps.database.withSession([&](SqlSession& session) {
        from.clear();
        isBegun = false;
        Rows& row = session.query(SELECT_ORDER_TIMES, {interval, interval});
        if (!row.next())
            return;
        isBegun = true;
        if (!row.boolean(0))
            return;
        from = row.text(1);
        to = row.text(2);
        until = row.text(3);
    });
    if (!isBegun)
        run.withTransaction([](Transaction& transaction) { transaction.execute(BEGIN, {"order", LATE_ORDERS}); });
    if (from.empty())
        return;
    std::map<std::int64_t, Count> counts;
    const QueryParameters query{{"created_from", from}, {"created_to", to}, {"per_page", "100"}};
    Listed<OrderGroupSummary> list = _deps.orders->list(_deps.database, query);
    for (;;) {
        for (const OrderGroupSummary& order : list.items) {
            Count& count = counts[order.supplierId];
            count.store = order.supplierName;
            ++count.orders;
            count.totals[order.currency] += order.total.tenThousandths();
        }
        if (!list.pagination.nextCursor)
            break;
        run.throwIfStopped();
        list = _deps.orders->list(_deps.database, behind(query, *list.pagination.nextCursor));
    }
    run.withTransaction([&](Transaction& transaction) {
        for (const auto& [supplierId, count] : counts) {
            _deps.queue.addForAll(
                transaction, supplierId, *chosenMail(MailKind::NEW_ORDERS), "orders:" + until,
                {{"store", count.store}, {"count", std::to_string(count.orders)}, {"total", totalText(count.totals)}});
        }
        transaction.execute(SET_ORDER_TIME, {until});
    });
}

} // namespace supplierd::dashboard
