#include "host/db/nodes/NodeChoice.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace supplierd::tests {

using host::chooseWriter;
using host::isLeftOut;
using host::NodeFitness;
using host::NodeReport;
using host::NodeView;

namespace {

constexpr std::uint8_t COUNT = 3;
constexpr std::uint8_t NONE = COUNT;
constexpr std::uint8_t ALL = 0b111;
constexpr std::uint8_t LAST_VIEW = 3;
constexpr std::chrono::milliseconds RETURN_AFTER{10'000};
constexpr std::size_t EVERYTHING = 1'000'000;

/// What the design rests on: each taken away has to let the model find an old read.
struct Rules {
    bool awaitsCluster = true;   ///< a silent node is left only when the cluster has left it out
    bool countsMembers = true;   ///< a later view alone does not say who is missing in it
    bool waitsForNotice = true;  ///< no other node is used before one that was left out must have noticed that
    bool waitsForLooks = true;   ///< nor before the looks of others at it hold no more
    bool distrustsGaps = true;   ///< after a silence reads are in step
    bool looksBeforeUse = true;  ///< the last look at a node holds for less time than Galera waits for one
    bool asksForOthers = true;   ///< what others write to counts
    bool settlesLate = true;     ///< reads are in step until the others have changed over
    bool leavesInTime = true;    ///< evs.suspect_timeout is long enough
    bool distrustsDonors = true; ///< reads are in step on a node that is not, and for a while afterwards
    bool showsWriter = true;     ///< reads are in step until the own row says what is written to
    bool returnsUnasked = true;  ///< to an earlier node, before it is known what others write to
    bool forgetsRows = true;     ///< what the rows said holds for less time than that while
};

bool has(std::uint8_t mask, std::uint8_t bit) {
    return ((mask >> bit) & 1) != 0;
}
void put(std::uint8_t& mask, std::uint8_t bit, bool value) {
    mask = static_cast<std::uint8_t>(value ? mask | (1 << bit) : mask & ~(1 << bit));
}

struct Server {
    std::uint8_t links = ALL;
    std::array<std::uint8_t, COUNT> views{};
    std::uint8_t answers = 0;
    std::uint8_t closed = 0;
    std::uint8_t missed = 0; ///< the next answer of these nodes comes after a gap
    std::uint8_t writer = NONE;
    std::uint8_t last = NONE;
    std::uint8_t isPlain = 0;
    std::uint8_t isAsleep = 0; ///< its looks hold no more
    std::uint8_t knowsOthers = 0;
    std::uint8_t others = 0;   ///< nodes that others write to, by their rows
    std::uint8_t behind = 0;   ///< donors
    std::uint8_t shown = NONE; ///< the node that its row says it writes to
    std::uint8_t pending = 0;  ///< servers that have not asked everybody since this one's writer changed
};

struct World {
    std::uint8_t view = 1;
    std::array<std::uint8_t, LAST_VIEW + 1> members{0, ALL};
    std::array<std::uint8_t, COUNT> believes{1, 1, 1}; ///< each node's view; 0: it refuses everything
    std::uint8_t paused = 0;
    std::uint8_t apart = 0;  ///< from the other nodes
    std::uint8_t closed = 0; ///< or rejects queries
    std::uint8_t donors = 0;
    std::uint8_t lags = 0; ///< the first node, the only one that is read plainly, lacks something acknowledged
    std::uint8_t faults = 0;
    std::array<Server, COUNT> servers;

    bool isMember(std::uint8_t node) const { return has(members[view], node); }
    bool canCommit(std::uint8_t node) const {
        return isMember(node) && believes[node] == view && !has(paused | apart, node);
    }
    /// All members that can know which view there is.
    bool haveInstalled() const {
        for (std::uint8_t node = 0; node < COUNT; ++node)
            if (isMember(node) && believes[node] != view && !has(paused | apart, node))
                return false;
        return true;
    }
    bool answers(const Server& server, std::uint8_t node) const {
        return has(server.links, node) && !has(paused, node);
    }
};
static_assert(sizeof(World) == 1 + 4 + 3 + 6 + COUNT * sizeof(Server), "it is compared as bytes");

bool lendsSessions(const Server& server) {
    return server.writer != NONE && !server.isAsleep;
}

class Model {
public:
    /// `failing`: the nodes that have faults, or are lost from a server's sight. `closed`: the nodes that are at first.
    Model(const Rules& rules, std::uint8_t faults, std::uint8_t failing, std::uint8_t closed = 0)
        : _rules(rules), _faults(faults), _failing(failing), _closed(closed) {}

    /// The steps to an old read; "": there is none.
    std::string findOldRead(std::size_t limit) {
        World first;
        first.closed = _closed;
        for (std::uint8_t s = 0; s < COUNT; ++s) {
            Server& server = first.servers[s];
            for (std::uint8_t node = 0; node < COUNT; ++node)
                look(first, s, node);
            server.isPlain = server.writer == 0;
            server.knowsOthers = 1;
            put(server.others, server.writer, true);
            server.shown = server.writer;
            server.pending = 0;
        }
        add(first, 0, "");
        for (std::size_t i = 0; i < _states.size() && i < limit && _violation.empty(); ++i) {
            const World world = _states[i].world;
            expand(world, i);
        }
        return _violation;
    }
    std::size_t size() const { return _states.size(); }

private:
    struct State {
        World world;
        std::size_t from;
        std::string step;
    };

    static std::string keyOf(const World& world) {
        std::string key(sizeof(World), '\0');
        std::memcpy(key.data(), &world, sizeof(World));
        return key;
    }

    /// Servers are alike.
    static World sorted(World world) {
        std::array<std::uint8_t, COUNT> order{0, 1, 2};
        const auto keyOfServer = [&world](std::uint8_t s) {
            Server server = world.servers[s];
            server.pending = 0;
            return std::string(reinterpret_cast<const char*>(&server), sizeof(Server));
        };
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keyOfServer(a) < keyOfServer(b); });
        for (Server& server : world.servers)
            if (server.writer != 0 || server.isPlain)
                server.pending = 0; // nobody asks
        World result = world;
        for (std::uint8_t place = 0; place < COUNT; ++place) {
            result.servers[place] = world.servers[order[place]];
            for (std::uint8_t other = 0; other < COUNT; ++other)
                put(result.servers[place].pending, other, has(world.servers[order[place]].pending, order[other]));
        }
        return result;
    }

    void add(const World& unsorted, std::size_t from, std::string step) {
        const World world = sorted(unsorted);
        if (!_seen.insert(keyOf(world)).second)
            return;
        _states.push_back({world, from, std::move(step)});
        if (!readsOld(world))
            return;
        for (std::size_t i = _states.size() - 1; i != 0; i = _states[i].from)
            _violation.insert(0, _states[i].step + "; ");
    }

    static bool readsOld(const World& world) {
        return std::any_of(world.servers.begin(), world.servers.end(), [&](const Server& server) {
            return server.writer != NONE && server.isPlain && lendsSessions(server) &&
                   world.answers(server, server.writer) && world.believes[server.writer] != 0 && server.writer == 0 &&
                   world.lags != 0;
        });
    }

    void expand(const World& world, std::size_t from) {
        const auto step = [&](bool isPossible, std::string name, const std::function<void(World&)>& change) {
            if (!isPossible)
                return;
            World next = world;
            change(next);
            add(next, from, std::move(name));
        };
        for (std::uint8_t node = 0; node < COUNT; ++node)
            nodeSteps(world, node, step);
        for (std::uint8_t s = 0; s < COUNT; ++s)
            serverSteps(world, s, step);
    }

    template <typename Step>
    void nodeSteps(const World& world, std::uint8_t node, const Step& step) {
        const std::string name = "node " + std::to_string(node) + " ";
        const bool mayFail = world.faults < _faults && has(_failing, node);
        const auto fault = [node](std::uint8_t World::*mask, bool isFault) {
            return [=](World& next) {
                put(next.*mask, node, isFault);
                next.faults = static_cast<std::uint8_t>(next.faults + (isFault ? 1 : 0));
            };
        };
        // One that is cut off does not stand still, too, before it has noticed.
        const bool hasNoticed = world.isMember(node) ? !has(world.apart, node) : world.believes[node] == 0;
        step(mayFail && !has(world.paused, node) && hasNoticed, name + "stands still", fault(&World::paused, true));
        step(has(world.paused, node), name + "goes on", fault(&World::paused, false));
        step(mayFail && !has(world.apart | world.paused, node), name + "is cut off from the others",
             fault(&World::apart, true));
        step(has(world.apart, node), name + "is back with the others", fault(&World::apart, false));
        step(mayFail && node == 0 && !has(world.closed, node), name + "is closed", fault(&World::closed, true));
        step(has(world.closed, node), name + "is opened", fault(&World::closed, false));
        step(mayFail && node == 0 && world.canCommit(node) && !has(world.donors, node), name + "becomes a donor",
             fault(&World::donors, true));
        step(has(world.donors, node), name + "is in step again", fault(&World::donors, false));
        const bool isGone = has(world.paused | world.apart, node);
        const auto rest = static_cast<std::uint8_t>(world.members[world.view] & ~(1 << node));
        step(world.isMember(node) && isGone && std::popcount(rest) >= 2 && world.view < LAST_VIEW &&
                 mayExclude(world, node),
             name + "is left out", [&](World& next) {
                 next.members[++next.view] = rest;
                 for (Server& server : next.servers)
                     put(server.missed, node, has(next.paused, node));
             });
        step(!world.isMember(node) && world.believes[node] != 0 && !has(world.paused, node), name + "notices that",
             [node](World& next) { next.believes[node] = 0; });
        step(!world.isMember(node) && world.believes[node] == 0 && !isGone && world.view < LAST_VIEW &&
                 isUsedByNobody(world, node),
             name + "joins again", [node](World& next) {
                 const auto all = static_cast<std::uint8_t>(next.members[next.view] | (1 << node));
                 next.members[++next.view] = all;
                 next.believes[node] = next.view;
             });
        step(world.isMember(node) && world.believes[node] != world.view && !isGone, name + "installs the view",
             [node](World& next) { next.believes[node] = next.view; });
        step(node == 0 && world.canCommit(node) && world.lags != 0, name + "applies",
             [node](World& next) { put(next.lags, node, false); });
    }

    /// Galera waits for longer than a look holds.
    bool mayExclude(const World& world, std::uint8_t node) const {
        return !_rules.leavesInTime || !has(world.paused, node) || isUsedByNobody(world, node);
    }

    static bool isUsedByNobody(const World& world, std::uint8_t node) {
        return std::none_of(world.servers.begin(), world.servers.end(),
                            [node](const Server& server) { return server.writer == node && lendsSessions(server); });
    }

    template <typename Step>
    void serverSteps(const World& world, std::uint8_t s, const Step& step) {
        const Server& server = world.servers[s];
        const std::string name = "server " + std::to_string(s) + " ";
        for (std::uint8_t node = 0; node < COUNT; ++node) {
            const std::string there = " node " + std::to_string(node);
            step(world.faults < _faults && has(server.links & _failing, node), name + "is cut off from" + there,
                 [=](World& next) {
                     put(next.servers[s].links, node, false);
                     ++next.faults;
                 });
            step(!has(server.links, node), name + "reaches again" + there,
                 [=](World& next) { put(next.servers[s].links, node, true); });
        }
        for (const bool areRowsRead : {true, false})
            step(true, name + (areRowsRead ? "asks all" : "asks all, and reads no rows"), [=, this](World& next) {
                for (std::uint8_t node = 0; node < COUNT; ++node)
                    look(next, s, node);
                next.servers[s].isAsleep = 0;
                forgetOthers(next.servers[s]);
                if (areRowsRead)
                    readOthers(next, s);
                decide(next, s, std::chrono::milliseconds(0));
                for (Server& other : next.servers)
                    if (next.haveInstalled() && (other.writer == NONE || !has(next.closed | next.donors, other.writer)))
                        put(other.pending, s, false);
            });
        step(true, name + "finds all as before for a while", [this, s](World& next) {
            for (std::uint8_t node = 0; node < COUNT; ++node)
                look(next, s, node);
            next.servers[s].isAsleep = 0;
            decide(next, s, RETURN_AFTER);
        });
        step(world.faults < _faults && !server.isAsleep, name + "sleeps", [s](World& next) {
            next.servers[s].isAsleep = 1;
            ++next.faults;
        });
        step((lendsSessions(server) || (server.writer != NONE && !_rules.looksBeforeUse)) &&
                 world.answers(server, server.writer) && world.canCommit(server.writer) &&
                 !has(world.closed, server.writer),
             name + "writes", [s](World& next) { next.lags = next.servers[s].writer == 0 ? 0 : 1; });
        step(server.writer != NONE && server.shown != server.writer && world.answers(server, server.writer) &&
                 world.canCommit(server.writer),
             name + "shows where it writes", [s](World& next) {
                 next.servers[s].shown = next.servers[s].writer;
                 readInStep(next.servers[s], s);
             });
        step(server.writer == 0 && !server.isPlain && lendsSessions(server) && mayReadPlainly(world, s),
             name + "reads plainly", [s](World& next) { next.servers[s].isPlain = 1; });
    }

    void look(World& world, std::uint8_t s, std::uint8_t node) {
        Server& server = world.servers[s];
        const bool isAnswer = world.answers(server, node);
        const bool isGap = !has(server.answers, node) || has(server.missed, node) || server.isAsleep;
        bool isOtherView = false;
        const std::uint8_t outOfStep = server.closed | server.behind;
        put(server.answers, node, isAnswer);
        if (isAnswer) {
            if (world.believes[node] != 0)
                isOtherView = std::exchange(server.views[node], world.believes[node]) != world.believes[node];
            put(server.closed, node, has(world.closed, node) || world.believes[node] == 0);
            put(server.missed, node, false);
            put(server.behind, node, has(world.donors, node));
        }
        const bool isOtherFitness = has(outOfStep, node) != has(server.closed | server.behind, node);
        if (isAnswer && node == server.last &&
            ((_rules.distrustsGaps && (isGap || isOtherView)) || (_rules.distrustsDonors && isOtherFitness)))
            readInStep(server, s);
        if (server.isAsleep)
            forgetOthers(server);
        decide(world, s, std::chrono::milliseconds(0));
    }

    void forgetOthers(Server& server) const {
        if (!_rules.forgetsRows)
            return;
        server.knowsOthers = 0;
        server.others = 0;
    }

    static void readInStep(Server& server, std::uint8_t s) {
        server.isPlain = 0;
        server.pending = static_cast<std::uint8_t>(ALL & ~(1 << s));
    }

    std::vector<NodeReport> reportsOf(const World& world, const Server& server) const {
        std::vector<NodeReport> reports(COUNT);
        for (std::uint8_t node = 0; node < COUNT; ++node) {
            reports[node].isGalera = true;
            reports[node].cluster = server.views[node] != 0 ? "cluster" : "";
            reports[node].view = server.views[node];
            reports[node].members =
                _rules.countsMembers ? static_cast<std::size_t>(std::popcount(world.members[server.views[node]])) : 1;
        }
        return reports;
    }

    void decide(World& world, std::uint8_t s, std::chrono::milliseconds inStepFor) {
        Server& server = world.servers[s];
        const Choice choice = choose(world, server, inStepFor);
        std::uint8_t writer = choice.node;
        if (writer != NONE && writer != server.writer && !mayUse(world, s, writer, choice.leftOut))
            writer = NONE;
        if (writer == server.writer)
            return;
        server.writer = writer;
        if (writer != NONE)
            server.last = writer;
        readInStep(server, s);
    }

    struct Choice {
        std::uint8_t node;
        std::uint8_t leftOut;
    };

    Choice choose(const World& world, const Server& server, std::chrono::milliseconds inStepFor) {
        std::string key;
        for (std::uint8_t node = 0; node < COUNT; ++node) {
            key += static_cast<char>(server.views[node]);
            key += static_cast<char>(std::popcount(world.members[server.views[node]]));
        }
        for (const std::uint8_t part : {server.answers, server.closed, server.behind, server.writer, server.last,
                                        server.knowsOthers, server.others})
            key += static_cast<char>(part);
        key += inStepFor.count() > 0 ? 'l' : 's';
        const auto known = _choices.find(key);
        return known != _choices.end() ? known->second
                                       : _choices.emplace(key, ask(world, server, inStepFor)).first->second;
    }

    /// What the product says.
    Choice ask(const World& world, const Server& server, std::chrono::milliseconds inStepFor) const {
        const auto reports = reportsOf(world, server);
        std::vector<NodeView> views(COUNT);
        std::uint8_t leftOut = 0;
        for (std::uint8_t node = 0; node < COUNT; ++node) {
            put(leftOut, node, isLeftOut(reports, node));
            const bool isSilent = !has(server.answers, node);
            views[node].fitness = isSilent || has(server.closed | leftOut, node) ? NodeFitness::Unfit
                                  : has(server.behind, node)                     ? NodeFitness::Behind
                                                                                 : NodeFitness::InStep;
            views[node].cluster = reports[node].cluster;
            views[node].view = reports[node].view;
            views[node].inStepFor = inStepFor;
            views[node].isSilentMember = isSilent && !has(leftOut, node) && _rules.awaitsCluster;
            views[node].isLastWriter = server.last == node;
            views[node].isOthersWriter =
                _rules.asksForOthers &&
                ((!server.knowsOthers && (isSilent || _rules.returnsUnasked)) || has(server.others, node));
        }
        const auto current = server.writer == NONE ? std::nullopt : std::optional<std::size_t>(server.writer);
        const auto choice = chooseWriter(views, current, server.last == NONE ? "" : "cluster", RETURN_AFTER);
        return {static_cast<std::uint8_t>(choice.node.value_or(NONE)), leftOut};
    }

    bool mayUse(const World& world, std::uint8_t s, std::uint8_t writer, std::uint8_t leftOut) const {
        for (std::uint8_t node = 0; node < COUNT; ++node) {
            if (node == writer)
                continue;
            const bool hasNoticed = world.believes[node] == 0 || has(world.paused, node) || world.isMember(node);
            if (_rules.waitsForNotice && has(leftOut, node) && !hasNoticed)
                return false;
            for (const Server& other : world.servers) {
                const bool goesByOldLook = &other != &world.servers[s] && other.writer == node && lendsSessions(other);
                if (_rules.waitsForLooks && goesByOldLook &&
                    has(world.servers[s].closed | world.servers[s].behind, node) &&
                    !has(other.closed | other.behind, node))
                    return false;
            }
        }
        return true;
    }

    /// It sees their rows in step, on any node that it reaches.
    static void readOthers(World& world, std::uint8_t s) {
        Server& server = world.servers[s];
        for (std::uint8_t node = 0; node < COUNT; ++node)
            if (world.answers(server, node) && world.canCommit(node)) {
                server.knowsOthers = 1;
                server.others = 0;
                for (std::uint8_t other = 0; other < COUNT; ++other)
                    if (other != s && world.servers[other].shown != NONE)
                        put(server.others, world.servers[other].shown, true);
                return;
            }
    }

    /// For as long as reads are in step, whoever runs asks everybody, a node that was left out notices, and the first
    /// node applies what was written elsewhere.
    bool mayReadPlainly(const World& world, std::uint8_t s) const {
        if ((_rules.showsWriter && world.servers[s].shown != world.servers[s].writer) ||
            (_rules.distrustsDonors && has(world.servers[s].behind, world.servers[s].writer)))
            return false;
        if (!_rules.settlesLate)
            return true;
        if (!world.haveInstalled())
            return false;
        for (std::uint8_t node = 0; node < COUNT; ++node)
            if (!world.isMember(node) && world.believes[node] != 0 && !has(world.paused, node))
                return false;
        for (std::uint8_t other = 0; other < COUNT; ++other)
            if (has(world.servers[s].pending, other) && !world.servers[other].isAsleep)
                return false;
        return world.lags == 0;
    }

    const Rules _rules;
    const std::uint8_t _faults;
    const std::uint8_t _failing;
    const std::uint8_t _closed;
    std::deque<State> _states;
    std::unordered_set<std::string> _seen;
    std::unordered_map<std::string, Choice> _choices;
    std::string _violation;
};

} // namespace

/// Three nodes of Galera and three servers, in every order in which nodes stand still, are cut off, closed, left out
/// and join again, and servers lose their ways to nodes, ask, choose, show where they write, read and write. Choices
/// are the product's own.
class WriterModelTest : public CppUnit::TestFixture {};

TEST(WriterModelTest, noOrderOfOneFaultLeadsToAnOldRead) {
    Model model({}, 1, ALL);
    CPPUNIT_ASSERT_EQUAL(std::string(), model.findOldRead(EVERYTHING));
    CPPUNIT_ASSERT_MESSAGE("all of them were looked at", model.size() < EVERYTHING);
    CPPUNIT_ASSERT(model.size() > 100'000);
}

TEST(WriterModelTest, noShortOrderOfTwoFaultsOfTheFirstNodeLeadsToAnOldRead) {
    CPPUNIT_ASSERT_EQUAL(std::string(), Model({}, 2, 1).findOldRead(60'000));
}

TEST(WriterModelTest, noShortOrderThatBeginsWithTheFirstNodeClosedLeadsToAnOldRead) {
    CPPUNIT_ASSERT_EQUAL(std::string(), Model({}, 1, 1, 1).findOldRead(60'000));
}

/// Else the model would not show that anything holds.
TEST(WriterModelTest, everyRuleIsNeeded) {
    const std::pair<bool Rules::*, const char*> all[] = {
        {&Rules::awaitsCluster, "awaitsCluster"},   {&Rules::countsMembers, "countsMembers"},
        {&Rules::waitsForNotice, "waitsForNotice"}, {&Rules::waitsForLooks, "waitsForLooks"},
        {&Rules::distrustsGaps, "distrustsGaps"},   {&Rules::looksBeforeUse, "looksBeforeUse"},
        {&Rules::asksForOthers, "asksForOthers"},   {&Rules::settlesLate, "settlesLate"},
        {&Rules::leavesInTime, "leavesInTime"},     {&Rules::distrustsDonors, "distrustsDonors"},
        {&Rules::showsWriter, "showsWriter"},       {&Rules::forgetsRows, "forgetsRows"},
        {&Rules::returnsUnasked, "returnsUnasked"}};
    for (const auto& [rule, name] : all) {
        Rules rules;
        rules.*rule = false;
        const bool isFound =
            !Model(rules, 1, 1).findOldRead(60'000).empty() || !Model(rules, 1, 1, 1).findOldRead(60'000).empty() ||
            !Model(rules, 1, ALL).findOldRead(20'000).empty() || !Model(rules, 2, 1).findOldRead(60'000).empty();
        CPPUNIT_ASSERT_MESSAGE(std::string("without ") + name, isFound);
    }
}

} // namespace supplierd::tests
