#include "host/ctl/doctor/DoctorChecks.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/nodes/NodeReport.h"
#include "host/server/DatabaseOrder.h"

#include <Poco/NumberParser.h>
#include <Poco/String.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {
namespace {

constexpr std::string_view SHOW_VARIABLES = R"sql(
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin', 'log_slave_updates', 'gtid_strict_mode', 'sync_binlog',
    'rpl_semi_sync_master_enabled', 'rpl_semi_sync_slave_enabled', 'rpl_semi_sync_master_wait_point',
    'rpl_semi_sync_master_timeout', 'gtid_binlog_pos')
    OR Variable_name LIKE 'replicate\_%\_db' OR Variable_name LIKE 'replicate\_%\_table'
)sql";
constexpr std::string_view SHOW_STATUS = R"sql(
SHOW GLOBAL STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_status', 'Rpl_semi_sync_master_clients')
)sql";
constexpr std::string_view SELECT_REPLICATION = "SELECT @@GLOBAL.log_bin, CAST(@@GLOBAL.binlog_format AS CHAR(16))";
/// Needs no right. 0: it has all of that.
constexpr std::string_view AWAIT_POSITION = "SELECT MASTER_GTID_WAIT(?, 2)";
constexpr std::string_view SHOW_GRANTS = "SHOW GRANTS";

constexpr std::int64_t AN_HOUR = 3'600'000;
constexpr const char* MANUAL = "operating/replication.md";

using ServerVariables = std::map<std::string, std::string, std::less<>>;

ServerVariables show(PooledSession& session, std::string_view sql) {
    ServerVariables values;
    Rows& rows = session.query(sql);
    while (rows.next())
        values[Poco::toLower(std::string(rows.text(0)))] = rows.isNull(1) ? std::string() : std::string(rows.text(1));
    return values;
}

/// Of one node, which may be written to one day.
class ReplicationNode {
public:
    ReplicationNode(PooledSession& session, std::string name, Findings& findings)
        : _session(session),
          _subject("replication of " + std::move(name)),
          _values(show(session, SHOW_VARIABLES)),
          _findings(findings) {}

    void checkSettings() {
        require("log_bin", "has no binary log: no other server can follow it", "log_bin = binlog");
        require("log_slave_updates", "does not log what it receives: others cannot go on with it by GTID",
                "log_slave_updates = ON");
        require("gtid_strict_mode", "does not notice when it has other transactions than its primary",
                "gtid_strict_mode = ON");
        if (value("sync_binlog") != "1")
            warn(fmt::format(
                     "sync_binlog = {}: after a crash of the machine it may lack transactions that its replicas have",
                     value("sync_binlog")),
                 "put sync_binlog = 1 into its configuration and run SET GLOBAL sync_binlog = 1");
        for (const auto& [variable, what] : _values)
            if (variable.starts_with("replicate_") && !what.empty())
                warn(fmt::format("{} = {}: a replica that lacks a part is of no use when it is promoted", variable,
                                 what),
                     "take the filter back: all of supplierd's database has to be replicated");
    }

    void checkPrimary() {
        if (!isOn("rpl_semi_sync_master_enabled")) {
            warn("replication is asynchronous: what this server has acknowledged and not sent yet is lost with it",
                 fmt::format("use semi-synchronous replication: {}", MANUAL));
            return;
        }
        if (value("rpl_semi_sync_master_wait_point") != "AFTER_SYNC")
            fail(fmt::format("rpl_semi_sync_master_wait_point = {}: others see a change, and have it acknowledged by a "
                             "repeated request, before a replica has it",
                             value("rpl_semi_sync_master_wait_point")),
                 "put rpl_semi_sync_master_wait_point = AFTER_SYNC into its configuration and set it with SET GLOBAL");
        Poco::Int64 timeout = 0;
        if (!Poco::NumberParser::tryParse64(value("rpl_semi_sync_master_timeout"), timeout) || timeout < AN_HOUR)
            warn(fmt::format("rpl_semi_sync_master_timeout = {}: when no replica answers for so many milliseconds, "
                             "changes are acknowledged that no replica has",
                             value("rpl_semi_sync_master_timeout")),
                 fmt::format("put rpl_semi_sync_master_timeout = 4294967295 into its configuration: {}", MANUAL));
        auto status = show(_session, SHOW_STATUS);
        if (status["rpl_semi_sync_master_status"] != "ON")
            fail("semi-synchronous replication is switched on and not at work: no replica answers in time",
                 FIX_REPLICA);
        else if (status["rpl_semi_sync_master_clients"] == "0")
            fail("no semi-synchronous replica is connected: changes wait for one", FIX_REPLICA);
    }

    /// Each is to be the primary one day.
    void checkReplica(bool isSemiSync) {
        if (isOn("rpl_semi_sync_master_enabled"))
            fail("rpl_semi_sync_master_enabled = ON on a replica: what it receives waits for a replica of its own",
                 "SET GLOBAL rpl_semi_sync_master_enabled = OFF there; it is set to ON with a promotion");
        if (isSemiSync && !isOn("rpl_semi_sync_slave_enabled"))
            warn("rpl_semi_sync_slave_enabled = OFF: the primary does not wait for this replica",
                 "put rpl_semi_sync_slave_enabled = ON into its configuration, set it with SET GLOBAL, then STOP SLAVE "
                 "and START SLAVE");
    }

    /// MySQL calls all of this by other names.
    bool isMariaDb() const { return _values.contains("gtid_strict_mode"); }
    bool isSemiSync() const { return isOn("rpl_semi_sync_master_enabled"); }
    /// What it has written last.
    std::string position() const { return value("gtid_binlog_pos"); }

    void checkFollowing(const NodeReport& report, const std::string& primary, const std::string& position) {
        if (!report.isReplicating) {
            fail("it is a replica that executes nothing: SQL thread stopped", FIX_REPLICA);
            return;
        }
        if (position.empty())
            return;
        Rows& row = _session.query(AWAIT_POSITION, {position});
        if (row.next() && !row.isNull(0) && row.integer(0) == 0)
            _findings.good(_subject, "it has what " + primary + " has");
        else
            fail(fmt::format("it is behind: after 2 s it still lacks something of what {} had, {}", primary, position),
                 FIX_REPLICA);
    }

    void checkRights() {
        Rows& rows = _session.query(SHOW_GRANTS);
        while (rows.next()) {
            const std::string grant(rows.text(0));
            for (const auto* right : {"ALL PRIVILEGES ON *.*", "SUPER", "READ_ONLY ADMIN"})
                if (grant.find(right) != std::string::npos && grant.find(" ON *.*") != std::string::npos) {
                    warn(fmt::format("the account has the right '{}', with which read_only does not stop its writes",
                                     right),
                         "take it back (REVOKE), as an account that `supplierctl setup` makes has it not");
                    return;
                }
        }
    }

private:
    static constexpr const char* FIX_REPLICA =
        "SHOW SLAVE STATUS there says why (Last_IO_Error, Last_SQL_Error, Seconds_Behind_Master); START SLAVE, or make "
        "it anew from the primary: operating/replication.md";

    std::string value(std::string_view name) const {
        const auto found = _values.find(name);
        return found == _values.end() ? std::string() : found->second;
    }
    bool isOn(std::string_view name) const { return Poco::icompare(value(name), "ON") == 0; }
    void require(std::string_view name, const char* otherwise, const char* line) {
        if (!isOn(name))
            warn(otherwise, fmt::format("put {} into its configuration and restart it", line));
    }
    void warn(const std::string& message, const std::string& fix) { _findings.warn(_subject, message, fix); }
    void fail(const std::string& message, const std::string& fix) { _findings.fail(_subject, message, fix); }

    PooledSession& _session;
    std::string _subject;
    ServerVariables _values;
    Findings& _findings;
};

/// One of several that are no cluster.
struct ReplicatedNode {
    NodeAddress address;
    NodeReport report;
};

/// Whether each of a primary and its replicas can be followed and promoted, whether the replicas follow, and what is
/// lost with the primary.
void checkReplication(const SessionSettings& session, const std::vector<ReplicatedNode>& nodes, Findings& findings) {
    const ReplicatedNode* primary = nullptr;
    bool isSemiSync = false;
    std::string position;
    for (const ReplicatedNode& node : nodes) {
        if (primary || judge(node.report).first != NodeFitness::InStep)
            continue;
        primary = &node;
        PooledSession there(openSession(session.at(node.address)));
        ReplicationNode examined(there, node.address.name(), findings);
        if (!examined.isMariaDb())
            return;
        examined.checkSettings();
        examined.checkPrimary();
        examined.checkRights();
        isSemiSync = examined.isSemiSync();
        position = examined.position();
    }
    for (const ReplicatedNode& node : nodes) {
        if (&node == primary || !node.report.isReadOnly)
            continue;
        PooledSession there(openSession(session.at(node.address)));
        ReplicationNode examined(there, node.address.name(), findings);
        if (!examined.isMariaDb())
            continue;
        examined.checkSettings();
        examined.checkReplica(isSemiSync);
        if (primary)
            examined.checkFollowing(node.report, primary->address.name(), position);
    }
}

/// One that is named twice is one that nothing fails over to.
void checkNamedOnce(PooledSession& there, const std::string& name, std::map<std::string, std::string>& names,
                    Findings& findings) {
    const auto [first, isNew] = names.emplace(databaseServer(there), name);
    if (!isNew)
        findings.warn("database " + name, fmt::format("is the same server as {} ({})", first->second, first->first),
                      "name each server once in database.hosts");
}

/// What is to be done about a node that cannot be used.
std::string fixOf(const NodeProbe::Answer& answer) {
    if (answer.lacksSessions)
        return "raise max_connections there, or lower database.pool_size";
    constexpr std::string_view NUMBER = "error ";
    const auto place = answer.problem.find(NUMBER);
    const auto code =
        place == std::string::npos ? 0UL : std::strtoul(answer.problem.c_str() + place + NUMBER.size(), nullptr, 10);
    return fixOfDatabaseError(static_cast<unsigned>(code)) + "; the others have to do without it until then";
}

/// A node of Galera is left only when all others are known.
void checkMembers(const std::vector<NodeReport>& reports, std::size_t named, Findings& findings) {
    for (const NodeReport& report : reports) {
        const auto isOfSameView = [&](const NodeReport& other) {
            return other.cluster == report.cluster && other.view == report.view;
        };
        const auto known = static_cast<std::size_t>(std::count_if(reports.begin(), reports.end(), isOfSameView));
        const auto silent = named - reports.size();
        if (!report.isGalera || !report.isReady || report.members <= known + silent)
            continue;
        findings.fail("database.hosts",
                      fmt::format("the cluster has {} members with data, and hosts names {} of them: when one of them "
                                  "is silent, no other is written to",
                                  report.members, known),
                      "name every member of the cluster in database.hosts, on each server in the same order");
        return;
    }
}

/// Each of several, also those that are not written to now: one day they will be.
void examineNodes(const SessionSettings& session, Findings& findings) {
    std::set<std::string> clusters;
    std::map<std::string, std::string> names;
    std::vector<ReplicatedNode> replicated;
    std::vector<NodeReport> reports;
    for (const NodeAddress& node : session.nodes) {
        const auto subject = "database " + node.name();
        const auto answer = NodeProbe(session.at(node)).ask();
        if (!answer.report) {
            findings.fail(subject, answer.problem, fixOf(answer));
            continue;
        }
        reports.push_back(*answer.report);
        const auto [fitness, state] = judge(*answer.report);
        const char* const fix =
            answer.report->isInconsistent()
                ? "make room on its disk, then restart MariaDB there: it takes the data of the others"
                : "see wsrep_local_state_comment, wsrep_cluster_status and read_only there; where too few "
                  "nodes are left to go on: operating/trouble.md";
        if (fitness == NodeFitness::InStep)
            findings.good(subject, state + ", can be written to");
        else if (!answer.report->unsafe.empty())
            findings.fail(subject, state, "correct its configuration and restart it: operating/galera.md");
        else if (answer.report->isReplicating && !answer.report->isReadOnly)
            findings.fail(subject, state,
                          "SET GLOBAL read_only = ON there if it is a replica; STOP SLAVE if it is to be the primary");
        else if (answer.report->isReadOnly && !answer.report->isGalera)
            findings.good(subject, "read-only: a replica");
        else
            findings.warn(subject,
                          state + (fitness == NodeFitness::Behind ? ": it has some to catch up with"
                                                                  : ": not written to for now"),
                          fix);
        if (fitness != NodeFitness::Unfit)
            clusters.insert(answer.report->cluster.empty() ? node.name() : answer.report->cluster);
        if (!answer.report->isGalera && answer.report->cluster.empty())
            replicated.push_back({node, *answer.report});
        if (answer.report->isReady) {
            PooledSession there(openSession(session.at(node)));
            checkDurability(there, "durability of " + node.name(), findings);
            checkClock(there, "clock of " + node.name(), findings);
            checkNamedOnce(there, node.name(), names, findings);
            checkTemporaryFolder(there, "temporary files of " + node.name(), findings);
        }
    }
    if (clusters.size() > 1)
        findings.fail("database nodes", "several can be written to that do not share their data",
                      "set read_only = 1 on all but the one that is right, and name none of them twice in hosts");
    checkMembers(reports, session.nodes.size(), findings);
    checkReplication(session, replicated, findings);
}

/// Of replicas nobody knows how old their data is.
void checkReader(const DatabaseSettings& database, Findings& findings) {
    if (!database.readFrom)
        return;
    const NodeAddress& node = database.session.nodes.at(*database.readFrom);
    const auto answer = NodeProbe(database.session.at(node)).ask();
    if (answer.report && !answer.report->isGalera)
        findings.warn("database.read_from",
                      node.name() + " is no node of a Galera cluster: plain reads go to the writer all the same",
                      "take database.read_from out of the configuration");
}

} // namespace

void checkNodes(const DatabaseSettings& database, Findings& findings) {
    examineNodes(database.session, findings);
    checkReader(database, findings);
}

void checkBinaryLog(PooledSession& session, Findings& findings) {
    Rows& row = session.query(SELECT_REPLICATION);
    if (row.next() && row.integer(0) != 0 && row.text(1) == "STATEMENT")
        findings.fail("binary log",
                      "binlog_format = STATEMENT: no change can be written, since transactions run as READ COMMITTED",
                      "put binlog_format = ROW into the database's configuration and run SET GLOBAL binlog_format = "
                      "ROW");
}

} // namespace supplierd::host
