#include "host/db/nodes/NodeReport.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"

#include <Poco/NumberParser.h>
#include <Poco/String.h>
#include <Poco/StringTokenizer.h>

#include <mysql/mysql.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// Beside the times that a node of Galera counts with: it finds out, says so, and its views follow one another.
constexpr milliseconds NOTICE_MARGIN{100};

// SHOW is what a node answers that is not part of the cluster; a SELECT of the same would be refused (1047).
constexpr std::string_view SHOW_VARIABLES = R"sql(
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'wsrep_on', 'wsrep_reject_queries',
    'wsrep_sst_donor_rejects_queries', 'wsrep_dirty_reads', 'wsrep_provider_options', 'group_replication_group_name')
)sql";
constexpr std::string_view SHOW_STATUS = "SHOW STATUS LIKE 'wsrep\\_%'";
/// Threads that execute what was received, of all connections to others. SHOW SLAVE STATUS needs a right.
constexpr std::string_view SHOW_REPLICATION = "SHOW GLOBAL STATUS LIKE 'Slaves\\_running'";

constexpr std::string_view SELECT_MARK = "SELECT 'mark', IS_USED_LOCK('supplierd.disk.full')";
constexpr std::string_view MARK_FULL = "DO GET_LOCK('supplierd.disk.full', 0)";
constexpr std::string_view UNMARK_FULL = "DO RELEASE_LOCK('supplierd.disk.full')";
/// The mark of a machine that has lost its power ends then.
constexpr std::string_view END_WHEN_SILENT = "SET wait_timeout = 60";

bool meansOn(const std::string& value) {
    return Poco::icompare(value, "on") == 0 || Poco::icompare(value, "yes") == 0 ||
           Poco::icompare(value, "true") == 0 || value == "1";
}

/// The names and values that statements have shown.
class Shown {
public:
    explicit Shown(Poco::Data::Session& session) : _handle(handleOf(session)) {}

    void ask(std::string_view sql) {
        const bool isSent = mysql_real_query(_handle, sql.data(), static_cast<unsigned long>(sql.size())) == 0;
        const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> rows(
            isSent ? mysql_store_result(_handle) : nullptr, &mysql_free_result);
        if (mysql_errno(_handle) != 0)
            throw DatabaseError(connectionError(_handle, "the node did not say how it is"));
        while (MYSQL_ROW row = rows ? mysql_fetch_row(rows.get()) : nullptr)
            _values[Poco::toLower(std::string(row[0]))] = row[1] ? row[1] : "";
    }

    std::string text(std::string_view name) const {
        const auto found = _values.find(name);
        return found == _values.end() ? std::string() : found->second;
    }
    bool isOn(std::string_view name) const { return meansOn(text(name)); }
    std::int64_t number(std::string_view name) const {
        Poco::Int64 number = 0;
        Poco::NumberParser::tryParse64(text(name), number);
        return number;
    }
    std::uint64_t fullBy() {
        ask(SELECT_MARK);
        return static_cast<std::uint64_t>(number("mark"));
    }

private:
    MYSQL* const _handle;
    std::map<std::string, std::string, std::less<>> _values;
};

/// Arbitrators have no address. While a view changes the list may be of another one than the number: then all count.
std::size_t membersOf(const Shown& shown) {
    const auto size = static_cast<std::size_t>(shown.number("wsrep_cluster_size"));
    const std::string list = shown.text("wsrep_incoming_addresses");
    const Poco::StringTokenizer named(list, ",",
                                      Poco::StringTokenizer::TOK_TRIM | Poco::StringTokenizer::TOK_IGNORE_EMPTY);
    const auto listed = static_cast<std::size_t>(1 + std::count(list.begin(), list.end(), ','));
    return listed == size && named.count() > 0 ? named.count() : size;
}

/// "" when it is not among them.
std::string optionOf(const std::string& options, const std::string& name) {
    const auto begin = options.find(name + " = ");
    if (begin == std::string::npos)
        return {};
    const auto value = begin + name.size() + 3;
    return Poco::trim(options.substr(value, options.find(';', value) - value));
}

/// Of a time as Galera writes it, like "PT0.3S" or "PT1M".
milliseconds periodOf(const std::string& options, const std::string& name, milliseconds otherwise) {
    const std::string text = optionOf(options, name);
    double number = 0;
    if (!text.starts_with("PT") || !Poco::NumberParser::tryParseFloat(text.substr(2, text.size() - 3), number))
        return otherwise;
    return milliseconds(static_cast<std::int64_t>(number * (text.back() == 'M' ? 60'000 : 1'000)));
}

/// Too many connections: of all, of this account, of this account in this hour.
bool isOutOfSessions(unsigned code) {
    return code == 1040 || code == 1203 || code == 1226;
}

} // namespace

std::pair<NodeFitness, std::string> judge(const NodeReport& report) {
    if (report.isInconsistent())
        return {NodeFitness::Unfit, report.stateName + ": it could not apply what the others had committed, such as on "
                                                       "a full disk, and has left the cluster until it is restarted"};
    if (!report.unsafe.empty())
        return {NodeFitness::Unfit, report.unsafe};
    if (!report.isReady)
        return {NodeFitness::Unfit, "not ready" + (report.stateName.empty() ? "" : " (" + report.stateName + ")") +
                                        ": not part of the cluster's majority, or giving its data to another node"};
    if (report.isReadOnly)
        return {NodeFitness::Unfit, "read-only"};
    if (report.isReplicating)
        return {NodeFitness::Unfit, "writable, but it executes what another server sends: STOP SLAVE there first"};
    if (!report.isGalera)
        return {NodeFitness::InStep, "writable"};
    if (report.state == NodeReport::SYNCED && report.isFull())
        return {NodeFitness::Behind, report.stateName + ", but its disk is full"};
    if (report.state == NodeReport::SYNCED)
        return {NodeFitness::InStep, report.stateName};
    const bool isBehind = report.state == NodeReport::DONOR || report.state == NodeReport::JOINED;
    return {isBehind ? NodeFitness::Behind : NodeFitness::Unfit, report.stateName};
}

void judgeOptions(const std::string& options, NodeReport& report) {
    const auto keepalive = periodOf(options, "evs.keepalive_period", milliseconds(1'000));
    // What was heard last may be so old for one of the two sides and new for the other, which looks as often as this.
    report.noticesLeftOutAfter =
        keepalive + periodOf(options, "evs.inactive_check_period", milliseconds(500)) + NOTICE_MARGIN;
    if (periodOf(options, "evs.suspect_timeout", milliseconds(5'000)) - keepalive <= LOOK_HOLDS)
        report.unsafe = "evs.suspect_timeout = " + optionOf(options, "evs.suspect_timeout") +
                        ": others go on without it too soon; it must be longer than evs.keepalive_period and one "
                        "second together";
    for (const std::string name : {"pc.ignore_quorum", "pc.ignore_sb"})
        if (const auto value = optionOf(options, name); meansOn(value))
            report.unsafe = name + " = " + value + ": it goes on when it is cut off from the others";
}

NodeReport askNode(Poco::Data::Session& session) {
    Shown shown(session);
    shown.ask(SHOW_VARIABLES);
    NodeReport report;
    report.isReadOnly = shown.isOn("read_only") || shown.isOn("super_read_only");
    report.cluster = shown.text("group_replication_group_name");
    report.isGalera = shown.isOn("wsrep_on");
    shown.ask(report.isGalera ? SHOW_STATUS : SHOW_REPLICATION);
    if (!report.isGalera) {
        report.isReplicating = report.cluster.empty() && shown.number("slaves_running") > 0;
        return report;
    }
    const auto rejects = shown.text("wsrep_reject_queries");
    report.stateName = shown.text("wsrep_local_state_comment");
    report.state = static_cast<int>(shown.number("wsrep_local_state"));
    const bool isClosedDonor = report.state == NodeReport::DONOR && shown.isOn("wsrep_sst_donor_rejects_queries");
    const bool isPrimary = shown.text("wsrep_cluster_status") == "Primary";
    report.isReady = shown.isOn("wsrep_ready") && isPrimary &&
                     (rejects.empty() || Poco::icompare(rejects, "NONE") == 0) && !isClosedDonor;
    report.cluster = shown.text("wsrep_cluster_state_uuid");
    report.identity = shown.text("wsrep_gcomm_uuid");
    report.view = isPrimary ? shown.number("wsrep_cluster_conf_id") : 0;
    report.members = membersOf(shown);
    report.committed = shown.number("wsrep_last_committed");
    judgeOptions(shown.text("wsrep_provider_options"), report);
    if (shown.isOn("wsrep_dirty_reads"))
        report.unsafe = "wsrep_dirty_reads = ON: it answers reads while it is no member of its cluster";
    if (report.isReady)
        report.markedFullBy = shown.fullBy();
    return report;
}

NodeReport NodeProbe::look(bool isFull) {
    NodeReport report = askNode(*_session);
    const bool isOwn = report.markedFullBy == mysql_thread_id(handleOf(*_session));
    if (!report.isGalera || !report.isReady || (isFull ? report.isFull() : !isOwn))
        return report;
    try {
        Shown shown(*_session);
        shown.ask(END_WHEN_SILENT);
        shown.ask(isFull ? MARK_FULL : UNMARK_FULL);
        report.markedFullBy = shown.fullBy();
    } catch (const DatabaseError& error) {
        if (endsSession(error.code()))
            throw;
        // It takes no user locks, as some builds of Galera may be set to.
    }
    return report;
}

NodeProbe::Answer NodeProbe::ask(bool isFull) {
    for (;;) {
        const bool wasOpen = _session.has_value();
        try {
            if (!_session)
                _session = openSession(_settings);
            return {look(isFull)};
        } catch (const DatabaseError& error) {
            _session.reset();
            // The session may have been ended alone; a node that answers is asked over another one.
            if (!wasOpen)
                return {std::nullopt, error.what(), isOutOfSessions(error.code())};
        }
    }
}

} // namespace supplierd::host
