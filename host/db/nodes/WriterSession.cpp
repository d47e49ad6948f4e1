#include "host/db/nodes/WriterSession.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"
#include "host/db/nodes/ClusterState.h"

#include <mysql/errmsg.h>
#include <mysql/mysql.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::host {

Poco::Data::Session openWriterSession(const SessionSettings& settings) {
    ClusterState cluster(settings, std::nullopt);
    std::vector<std::optional<Poco::Data::Session>> sessions(settings.nodes.size());
    std::set<unsigned> codes;
    bool isFound = false;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        const auto now = NodeClock::now();
        NodeProbe::Answer answer{std::nullopt, "not asked"};
        try {
            if (!isFound) {
                sessions[i] = openSession(settings.at(settings.nodes[i]));
                answer.report = askNode(*sessions[i]);
                codes.insert(CR_CONN_HOST_ERROR);
            }
        } catch (const DatabaseError& error) {
            codes.insert(error.code());
            answer.problem = error.what();
        }
        cluster.accept(i, answer, now, now);
        const WatchedNode& node = cluster.nodes()[i];
        isFound |= node.fitness == NodeFitness::InStep && !node.report.cluster.empty();
    }
    cluster.noteOtherWriters({}, NodeClock::now()); // there is nobody to ask
    cluster.decide(NodeClock::now());
    if (cluster.decision().choice.isAmbiguous)
        throw ConnectError(CR_CONN_HOST_ERROR,
                           "nodes of the database can be written to that do not share their data (" + settings.place() +
                               "): set all but the one that is right to read_only, and name none of them twice");
    const auto chosen = cluster.decision().choice.node;
    if (!chosen) // what they have in common may say that the account is refused
        throw ConnectError(codes.size() == 1 ? *codes.begin() : CR_CONN_HOST_ERROR,
                           "no node of the database can be written to: " + cluster.decision().problem);
    Poco::Data::Session& session = *sessions[*chosen];
    if (cluster.nodes()[*chosen].report.isGalera && mysql_query(handleOf(session), "SET wsrep_sync_wait = 1") != 0)
        throw DatabaseError(connectionError(handleOf(session), "cannot set up the database session"));
    return session;
}

} // namespace supplierd::host
