#include "MailSources.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace supplierd::dashboard {

namespace {

// A first time looks no further back than SELECT_PROGRESS does.
constexpr std::string_view BEGIN = R"sql(
INSERT INTO dashboard_mail_progress (source, last_id, read_until) VALUES (?, ?, NOW(6) - INTERVAL ? SECOND)
ON DUPLICATE KEY UPDATE source = VALUES(source)
)sql";

// The second is the time from which on entries may have come late: a transaction commits some time after its entry got
// its number and its time, and a use of a key is recorded up to a minute after it was.
constexpr std::string_view SELECT_PROGRESS = R"sql(
SELECT last_id, GREATEST(read_until - INTERVAL 15 MINUTE, NOW(6) - INTERVAL 1 DAY), read_until > NOW(6) - INTERVAL 5 MINUTE
FROM dashboard_mail_progress WHERE source = ?
)sql";

constexpr std::string_view SET_PROGRESS = R"sql(
UPDATE dashboard_mail_progress SET last_id = GREATEST(last_id, ?), read_until = NOW(6) WHERE source = ?
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

const ChosenMail& mailOf(std::string_view kind) {
    return *std::find_if(CHOSEN_MAILS.begin(), CHOSEN_MAILS.end(),
                         [&](const ChosenMail& mail) { return mail.kind == kind; });
}

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
    std::array<unsigned char, 16> bytes{};
    if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1)
        return address;
    std::fill(bytes.begin() + 8, bytes.end(), 0);
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
    return std::string(text.data()) + "/64";
}

} // namespace

void MailSources::read(JobRun& run) {
    follow(run, "key");
    follow(run, "webhook");
    if (_deps.orders != nullptr)
        countOrders(run);
}

void MailSources::follow(JobRun& run, const std::string& object) {
    const auto page = [&](const std::string& cursor) {
        QueryParameters query{{"object", object}, {"per_page", "100"}};
        if (!cursor.empty())
            query.emplace_back("cursor", cursor);
        return _deps.audit.list(_deps.database, query);
    };
    Listed<AuditRecord> list = page("");
    const std::int64_t newest = list.items.empty() ? 0 : list.items.front().id;
    const Progress progress = progressOf(run, object, newest);
    // Entries of before `since` are known, whatever their numbers: those of several database servers are not in order.
    std::vector<AuditRecord> found;
    for (int pages = 1;; ++pages) {
        bool isEnd = list.items.empty();
        for (AuditRecord& record : list.items) {
            isEnd = isEnd || (record.id <= progress.lastId && record.createdAt < progress.since);
            if (!isEnd && record.createdAt >= progress.since && !_taken.contains(record.id))
                found.push_back(std::move(record));
        }
        if (isEnd || !list.pagination.nextCursor || pages == MAX_PAGES)
            break;
        run.throwIfStopped();
        list = page(*list.pagination.nextCursor);
    }
    if (found.empty() && progress.isFresh)
        return;
    run.withTransaction([&](Transaction& transaction) {
        std::for_each(found.rbegin(), found.rend(), [&](const AuditRecord& record) { take(transaction, record); });
        transaction.execute(SET_PROGRESS, {newest, object});
    });
    if (_taken.size() > MAX_TAKEN)
        _taken.clear(); // a cause is mailed once all the same
    for (const AuditRecord& record : found)
        _taken.insert(record.id);
}

MailSources::Progress MailSources::progressOf(JobRun& run, const std::string& object, std::int64_t newest) {
    const auto read = [&] {
        return _deps.database.read([&](SqlSession& session) {
            Rows& row = session.query(SELECT_PROGRESS, {object});
            return row.next() ? std::optional(Progress{row.integer(0), row.time(1), row.boolean(2)}) : std::nullopt;
        });
    };
    if (auto progress = read())
        return *progress;
    run.withTransaction([&](Transaction& transaction) { transaction.execute(BEGIN, {object, newest, 0}); });
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
        isNewAddress = transaction.execute(ADD_ADDRESS, {entry.objectId, networkOf(address)}) == 1 &&
                       entry.action == "key.new_address";
        transaction.execute(TOUCH_ADDRESS, {entry.objectId, networkOf(address)});
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
                          mailOf(isNew ? MailKind::KEY_CREATED : MailKind::KEY_NEW_ADDRESS), cause, values);
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
    _deps.queue.addForAll(transaction, entry.supplierId, mailOf(MailKind::WEBHOOK_OFF),
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
        run.withTransaction([](Transaction& transaction) { transaction.execute(BEGIN, {"order", 0, LATE_ORDERS}); });
    if (from.empty())
        return;
    std::map<std::int64_t, Count> counts;
    QueryParameters query{{"created_from", from}, {"created_to", to}, {"per_page", "100"}};
    for (;;) {
        const Listed<OrderSummary> list = _deps.orders->list(_deps.database, query);
        for (const OrderSummary& order : list.items) {
            Count& count = counts[order.supplierId];
            count.store = order.supplierName;
            ++count.orders;
            count.totals[order.currency] += order.total.tenThousandths();
        }
        if (list.items.empty() || !list.pagination.nextCursor)
            break;
        run.throwIfStopped();
        query = {
            {"created_from", from}, {"created_to", to}, {"per_page", "100"}, {"cursor", *list.pagination.nextCursor}};
    }
    run.withTransaction([&](Transaction& transaction) {
        for (const auto& [supplierId, count] : counts) {
            std::string total;
            for (const auto& [currency, amount] : count.totals) {
                std::string cents = std::to_string(amount / 100 % 100);
                cents.insert(0, 2 - cents.size(), '0');
                total.append(total.empty() ? "" : ", ").append(currency).append(" ");
                total.append(std::to_string(amount / 10'000)).append(".").append(cents);
            }
            _deps.queue.addForAll(transaction, supplierId, mailOf(MailKind::NEW_ORDERS), "orders:" + until,
                                  {{"store", count.store}, {"count", std::to_string(count.orders)}, {"total", total}});
        }
        transaction.execute(SET_ORDER_TIME, {until});
    });
}

} // namespace supplierd::dashboard
