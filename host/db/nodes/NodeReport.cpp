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

// SHOW is what a node answers that is not part of the cluster; a SELECT of the same would be refused (1047).
constexpr std::string_view SHOW_VARIABLES = R"sql(
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'wsrep_on', 'wsrep_reject_queries',
    'wsrep_sst_donor_rejects_queries', 'group_replication_group_name', 'gtid_binlog_pos', 'gtid_slave_pos')
)sql";
constexpr std::string_view SHOW_STATUS = "SHOW STATUS LIKE 'wsrep\\_%'";
/// Threads that execute what was received, of all connections to others. SHOW SLAVE STATUS needs a right.
constexpr std::string_view SHOW_REPLICATION = "SHOW GLOBAL STATUS LIKE 'Slaves\\_running'";

// A disk is full for everybody; which node is the first one the hosts of one database say.
constexpr std::string_view SELECT_MARKS = R"sql(
SELECT IS_USED_LOCK('supplierd.disk.full'),
    IS_USED_LOCK(CONCAT_WS('.', 'supplierd.elsewhere', LEFT(DATABASE(), 40)))
)sql";
// One that is held already would be counted.
constexpr std::string_view MARK_FULL = R"sql(
DO IF(IS_USED_LOCK('supplierd.disk.full') IS NULL, GET_LOCK('supplierd.disk.full', 0), 0)
)sql";
constexpr std::string_view UNMARK_FULL = "DO RELEASE_LOCK('supplierd.disk.full')";
constexpr std::string_view MARK_ELSEWHERE = R"sql(
DO IF(IS_USED_LOCK(CONCAT_WS('.', 'supplierd.elsewhere', LEFT(DATABASE(), 40))) IS NULL,
    GET_LOCK(CONCAT_WS('.', 'supplierd.elsewhere', LEFT(DATABASE(), 40)), 0), 0)
)sql";
constexpr std::string_view UNMARK_ELSEWHERE = R"sql(
DO RELEASE_LOCK(CONCAT_WS('.', 'supplierd.elsewhere', LEFT(DATABASE(), 40)))
)sql";
/// The mark of a machine that has lost its power ends then. Who stands still for so long has nobody left who waits for
/// what it was about to acknowledge.
constexpr std::string_view END_WHEN_SILENT = "SET wait_timeout = 60";

constexpr int OPTIONS = Poco::StringTokenizer::TOK_IGNORE_EMPTY | Poco::StringTokenizer::TOK_TRIM;

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
    const auto value = valueOf(values, name);
    return !value.empty() && value != "0" && Poco::icompare(value, "OFF") != 0;
}

void readMarks(MYSQL* handle, NodeReport& report) {
    const Result result = ask(handle, SELECT_MARKS);
    MYSQL_ROW row = mysql_fetch_row(result.get());
    const auto session = [row](unsigned column) {
        Poco::UInt64 number = 0;
        if (row && row[column])
            Poco::NumberParser::tryParseUnsigned64(row[column], number);
        return number;
    };
    report.markedFullBy = session(0);
    report.markedElsewhereBy = session(1);
}

std::size_t membersOf(const Values& status) {
    // An arbitrator has no address there.
    const Poco::StringTokenizer addresses(valueOf(status, "wsrep_incoming_addresses"), ",", OPTIONS);
    unsigned size = 0;
    Poco::NumberParser::tryParseUnsigned(valueOf(status, "wsrep_cluster_size"), size);
    return addresses.count() > 0 ? addresses.count() : size;
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
    report.state = 0;
    Poco::NumberParser::tryParse(valueOf(status, "wsrep_local_state"), report.state);
    const bool isClosedDonor = report.state == NodeReport::DONOR && isOn(variables, "wsrep_sst_donor_rejects_queries");
    report.isReady = isOn(status, "wsrep_ready") && valueOf(status, "wsrep_cluster_status") == "Primary" &&
                     (rejects.empty() || Poco::icompare(rejects, "NONE") == 0) && !isClosedDonor;
    report.cluster = valueOf(status, "wsrep_cluster_state_uuid");
    report.membership = valueOf(status, "wsrep_cluster_conf_id");
    report.members = membersOf(status);
    Poco::Int64 committed = 0;
    Poco::NumberParser::tryParse64(valueOf(status, "wsrep_last_committed"), committed);
    report.committed = committed;
    if (report.isReady)
        readMarks(handle, report);
    return report;
}

NodeProbe::NodeProbe(SessionSettings node) : _settings(std::move(node)) {
    for (auto* limit : {&_settings.connectTimeout, &_settings.readTimeout, &_settings.writeTimeout})
        *limit = limit->count() == 0 ? _settings.failoverAfter : std::min(*limit, _settings.failoverAfter);
}

NodeProbe::Answer NodeProbe::look(const Marks& marks) {
    Answer answer;
    NodeReport& report = answer.report.emplace(askNode(*_session));
    if (!report.isGalera || !report.isReady)
        return answer;
    MYSQL* const handle = handleOf(*_session);
    const auto isDue = [handle](std::uint64_t markedBy, bool isWanted) {
        return isWanted ? markedBy == 0 : markedBy == mysql_thread_id(handle);
    };
    const bool isFullDue = isDue(report.markedFullBy, marks.isFull);
    const bool isElsewhereDue = isDue(report.markedElsewhereBy, marks.isElsewhere);
    if (!isFullDue && !isElsewhereDue)
        return answer;
    try {
        run(handle, END_WHEN_SILENT);
        if (isFullDue)
            run(handle, marks.isFull ? MARK_FULL : UNMARK_FULL);
        if (isElsewhereDue)
            run(handle, marks.isElsewhere ? MARK_ELSEWHERE : UNMARK_ELSEWHERE);
    } catch (const DatabaseError& error) {
        if (endsSession(error.code()))
            throw;
        answer.refusesMarks = true;
        return answer;
    }
    readMarks(handle, report);
    return answer;
}

NodeProbe::Answer NodeProbe::ask(const Marks& marks) {
    for (;;) {
        const bool wasOpen = _session.has_value();
        try {
            if (!_session)
                _session = openSession(_settings);
            return look(marks);
        } catch (const DatabaseError& error) {
            _session.reset();
            // The session may have been ended alone; a node that answers is asked over another one.
            if (!wasOpen)
                return {std::nullopt, error.what(), isOutOfSessions(error.code())};
        }
    }
}

} // namespace supplierd::host
