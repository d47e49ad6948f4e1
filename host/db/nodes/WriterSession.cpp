#include "host/db/nodes/WriterSession.h"

#include "host/db/Connector.h"
#include "host/db/ErrorClass.h"
#include "host/db/nodes/NodeChoice.h"

#include <mysql/errmsg.h>
#include <mysql/mysql.h>

#include <optional>
#include <string>
#include <vector>

namespace supplierd::host {

namespace {

struct Candidate {
    std::optional<Poco::Data::Session> session;
    NodeReport report;
};

/// A number that all have in common is told on: it may say that the account is refused.
class Refusals {
public:
    void add(const NodeAddress& node, const std::string& reason, unsigned code) {
        _text += (_text.empty() ? "" : "; ") + node.name() + ": " + reason;
        _code = _isFirst || _code == code ? code : static_cast<unsigned>(CR_CONN_HOST_ERROR);
        _isFirst = false;
    }
    [[noreturn]] void raise() const {
        throw ConnectError(_code, "no node of the database can be written to: " + _text);
    }

private:
    std::string _text;
    unsigned _code = CR_CONN_HOST_ERROR;
    bool _isFirst = true;
};

NodeView viewOf(const Candidate& candidate) {
    return {candidate.session ? judge(candidate.report).first : NodeFitness::Unfit, candidate.report.cluster,
            candidate.report.membership, std::chrono::milliseconds(0), candidate.report.isFull()};
}

} // namespace

Poco::Data::Session openWriterSession(const SessionSettings& settings) {
    std::vector<Candidate> candidates;
    std::vector<NodeView> views;
    Refusals refusals;
    for (const NodeAddress& node : settings.nodes) {
        Candidate candidate;
        try {
            candidate.session = openSession(settings.at(node));
            candidate.report = askNode(*candidate.session);
            if (const auto [fitness, state] = judge(candidate.report); fitness == NodeFitness::Unfit)
                refusals.add(node, state, CR_CONN_HOST_ERROR);
        } catch (const DatabaseError& error) {
            candidate.session.reset();
            refusals.add(node, error.what(), error.code());
        }
        views.push_back(viewOf(candidate));
        candidates.push_back(std::move(candidate));
        if (views.back().fitness == NodeFitness::InStep && !views.back().cluster.empty())
            break;
    }
    const WriterChoice choice = chooseWriter(views, std::nullopt, {}, settings.returnAfter);
    if (choice.isAmbiguous)
        throw ConnectError(CR_CONN_HOST_ERROR,
                           "nodes of the database can be written to that do not share their data (" + settings.place() +
                               "): set all but the one that is right to read_only, and name none of them twice");
    if (!choice.node)
        refusals.raise();
    Candidate& chosen = candidates[*choice.node];
    if (chosen.report.isGalera && mysql_query(handleOf(*chosen.session), "SET wsrep_sync_wait = 1") != 0)
        throw DatabaseError(connectionError(handleOf(*chosen.session), "cannot set up the database session"));
    return *chosen.session;
}

} // namespace supplierd::host
