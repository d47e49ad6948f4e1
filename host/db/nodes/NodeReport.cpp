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
#include <vector>

namespace supplierd::host {

namespace {

using std::chrono::milliseconds;

/// Beside the times that a node of Galera counts with: it finds out, says so, and its views follow one another.
constexpr milliseconds NOTICE_MARGIN{100};

// SHOW is what a node answers that is not part of the cluster; a SELECT of the same would be refused (1047).
constexpr std::string_view SHOW_VARIABLES = R"sql(
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'wsrep_on', 'wsrep_reject_queries',
    'wsrep_sst_donor_rejects_queries', 'wsrep_dirty_reads', 'wsrep_provider_options', 'group_replication_group_name', 'gtid_binlog_pos', 'gtid_slave_pos')
)sql";
constexpr std::string_view SHOW_STATUS = "SHOW STATUS LIKE 'wsrep\\_%'";
/// Threads that execute what was received, of all connections to others. SHOW SLAVE STATUS needs a right.
constexpr std::string_view SHOW_REPLICATION = "SHOW GLOBAL STATUS LIKE 'Slaves\\_running'";

constexpr std::string_view SELECT_MARK = "SELECT IS_USED_LOCK('supplierd.disk.full')";
// One that is held already would be counted.
constexpr std::string_view MARK_FULL = R"sql(
DO IF(IS_USED_LOCK('supplierd.disk.full') IS NULL, GET_LOCK('supplierd.disk.full', 0), 0)
)sql";
constexpr std::string_view UNMARK_FULL = "DO RELEASE_LOCK('supplierd.disk.full')";
/// The mark of a machine that has lost its power ends then.
constexpr std::string_view END_WHEN_SILENT = "SET wait_timeout = 60";

using Values = std::map<std::string, std::string, std::less<>>;
using Result = std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)>;

void run(MYSQL* handle, std::string_view sql) {
    if (mysql_real_query(handle, sql.data(), static_cast<unsigned long>(sql.size())) != 0)
        throw DatabaseError(connectionError(handle, "the node did not say how it is"));
}

Result ask(MYSQL* handle, std::string_view sql) {
    run(handle, sql);
    Result result(mysql_store_result(handle), &mysql_free_result);
    if (!result)
        throw DatabaseError(connectionError(handle, "the node did not say how it is"));
    return result;
}

Values show(MYSQL* handle, std::string_view sql) {
    const Result result = ask(handle, sql);
    Values values;
    while (MYSQL_ROW row = mysql_fetch_row(result.get()))
        values[Poco::toLower(std::string(row[0]))] = row[1] ? row[1] : "";
    return values;
}

std::string valueOf(const Values& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
}

bool isOn(const Values& values, std::string_view name) {
    const auto value = Poco::toLower(valueOf(values, name));
    return !value.empty() && value != "0" && value != "off" && value != "no" && value != "false";
}

template <typename Number>
Number numberOf(const Values& values, std::string_view name) {
    Poco::Int64 number = 0;
    Poco::NumberParser::tryParse64(valueOf(values, name), number);
    return static_cast<Number>(number);
}

std::uint64_t markOf(MYSQL* handle) {
    const Result result = ask(handle, SELECT_MARK);
    MYSQL_ROW row = mysql_fetch_row(result.get());
    Poco::UInt64 session = 0;
    if (row && row[0])
        Poco::NumberParser::tryParseUnsigned64(row[0], session);
    return session;
}

std::size_t membersOf(const Values& status) {
    const auto size = numberOf<std::size_t>(status, "wsrep_cluster_size");
    const std::string list = valueOf(status, "wsrep_incoming_addresses");
    std::vector<std::string> addresses;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        addresses.push_back(Poco::trim(list.substr(begin, end - begin)));
        begin = end + 1;
    }
    // An arbitrator has no address there.
    const auto arbitrators = static_cast<std::size_t>(std::count(addresses.begin(), addresses.end(), std::string()));
    return addresses.size() == size && arbitrators < size ? size - arbitrators : size;
}

/// Of a period as Galera writes it, like "PT0.3S" or "PT1M".
std::optional<milliseconds> periodOf(const std::string& text) {
    if (!text.starts_with("PT") || text.size() < 4)
        return std::nullopt;
    double number = 0;
    if (!Poco::NumberParser::tryParseFloat(text.substr(2, text.size() - 3), number))
        return std::nullopt;
    constexpr double SECOND = 1'000;
    switch (text.back()) {
    case 'S':
        return milliseconds(static_cast<std::int64_t>(number * SECOND));
    case 'M':
        return milliseconds(static_cast<std::int64_t>(number * SECOND * 60));
    default:
        return std::nullopt;
    }
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
    switch (report.state) {
    case NodeReport::SYNCED:
        if (report.isFull())
            return {NodeFitness::Behind, report.stateName + ", but its disk is full"};
        return {NodeFitness::InStep, report.stateName};
    case NodeReport::DONOR:
    case NodeReport::JOINED:
        return {NodeFitness::Behind, report.stateName};
    default:
        return {NodeFitness::Unfit, report.stateName};
    }
}

NodeReport askNode(Poco::Data::Session& session) {
    MYSQL* const handle = handleOf(session);
    const Values variables = show(handle, SHOW_VARIABLES);
    NodeReport report;
    report.isReadOnly = isOn(variables, "read_only") || isOn(variables, "super_read_only");
    report.cluster = valueOf(variables, "group_replication_group_name");
    report.isGalera = isOn(variables, "wsrep_on");
    if (!report.isGalera) {
        report.written = valueOf(variables, "gtid_binlog_pos");
        report.received = valueOf(variables, "gtid_slave_pos");
        report.isReplicating = report.cluster.empty() && isOn(show(handle, SHOW_REPLICATION), "slaves_running");
        return report;
    }
    const Values status = show(handle, SHOW_STATUS);
    const auto rejects = valueOf(variables, "wsrep_reject_queries");
    report.stateName = valueOf(status, "wsrep_local_state_comment");
    report.state = numberOf<int>(status, "wsrep_local_state");
    const bool isClosedDonor = report.state == NodeReport::DONOR && isOn(variables, "wsrep_sst_donor_rejects_queries");
    const bool isPrimary = valueOf(status, "wsrep_cluster_status") == "Primary";
    report.isReady = isOn(status, "wsrep_ready") && isPrimary &&
                     (rejects.empty() || Poco::icompare(rejects, "NONE") == 0) && !isClosedDonor;
    report.cluster = valueOf(status, "wsrep_cluster_state_uuid");
    report.identity = valueOf(status, "wsrep_gcomm_uuid");
    report.view = isPrimary ? numberOf<std::int64_t>(status, "wsrep_cluster_conf_id") : 0;
    report.members = membersOf(status);
    report.committed = numberOf<std::int64_t>(status, "wsrep_last_committed");
    judgeTimes(valueOf(variables, "wsrep_provider_options"), report);
    if (isOn(variables, "wsrep_dirty_reads"))
        report.unsafe = "wsrep_dirty_reads = ON: it answers reads while it is no member of its cluster";
    if (report.isReady)
        report.markedFullBy = markOf(handle);
    return report;
}

void judgeTimes(const std::string& providerOptions, NodeReport& report) {
    Values options{
        {"evs.suspect_timeout", "PT5S"}, {"evs.keepalive_period", "PT1S"}, {"evs.inactive_check_period", "PT0.5S"}};
    for (const std::string& option : Poco::StringTokenizer(providerOptions, ";")) {
        const auto equals = std::min(option.find('='), option.size());
        options[Poco::trim(option.substr(0, equals))] = Poco::trim(option.substr(std::min(equals + 1, option.size())));
    }
    const auto period = [&](std::string_view name) { return periodOf(valueOf(options, name)); };
    const auto keepalive = period("evs.keepalive_period").value_or(milliseconds(1'000));
    // What was heard last may be so old for one of the two sides and new for the other, which looks as often as this.
    report.noticesLeftOutAfter =
        keepalive + period("evs.inactive_check_period").value_or(milliseconds(500)) + NOTICE_MARGIN;
    const auto suspect = period("evs.suspect_timeout");
    if (suspect && *suspect - keepalive <= LOOK_HOLDS)
        report.unsafe = "evs.suspect_timeout = " + valueOf(options, "evs.suspect_timeout") +
                        ": others go on without it too soon; it must be longer than evs.keepalive_period and one "
                        "second together";
    for (const char* name : {"pc.ignore_quorum", "pc.ignore_sb"})
        if (isOn(options, name))
            report.unsafe =
                std::string(name) + " = " + valueOf(options, name) + ": it goes on when it is cut off from the others";
}

NodeProbe::NodeProbe(SessionSettings node) : _settings(std::move(node)) {
    for (auto* limit : {&_settings.connectTimeout, &_settings.readTimeout, &_settings.writeTimeout})
        *limit = limit->count() == 0 ? _settings.failoverAfter : std::min(*limit, _settings.failoverAfter);
}

NodeProbe::Answer NodeProbe::look(bool isFull) {
    Answer answer;
    NodeReport& report = answer.report.emplace(askNode(*_session));
    if (!report.isGalera || !report.isReady)
        return answer;
    MYSQL* const handle = handleOf(*_session);
    const bool isOwn = report.markedFullBy == mysql_thread_id(handle);
    if (isFull ? report.markedFullBy != 0 : !isOwn)
        return answer;
    try {
        run(handle, END_WHEN_SILENT);
        run(handle, isFull ? MARK_FULL : UNMARK_FULL);
    } catch (const DatabaseError& error) {
        if (endsSession(error.code()))
            throw;
        return answer; // it takes no user locks, as some builds of Galera may be set to
    }
    report.markedFullBy = markOf(handle);
    return answer;
}

NodeProbe::Answer NodeProbe::ask(bool isFull) {
    for (;;) {
        const bool wasOpen = _session.has_value();
        try {
            if (!_session)
                _session = openSession(_settings);
            return look(isFull);
        } catch (const DatabaseError& error) {
            _session.reset();
            // The session may have been ended alone; a node that answers is asked over another one.
            if (!wasOpen)
                return {std::nullopt, error.what(), isOutOfSessions(error.code())};
        }
    }
}

} // namespace supplierd::host
