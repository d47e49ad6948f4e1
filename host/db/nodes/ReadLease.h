#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace supplierd::host {

// Of a Galera cluster everybody writes to the first of its nodes that can be written to, and a server that writes to
// the first one of all reads plainly there. What is written on another node is there some milliseconds later than it
// was acknowledged, so nobody may read plainly on the first one by then. But a server may be the only one that does
// not reach the first node, and then nothing that is told there reaches it. So
// - who is about to write elsewhere marks every node that it reaches (NodeProbe), and waits before it writes;
// - who reads plainly does so on a lease, which its looks at the nodes renew, at enough of them to meet such a mark.

/// What a look at a node has seen holds for so long.
constexpr std::chrono::milliseconds LOOK_HOLDS{1'000};

/// So long a member may be silent while most of the others are looked at. Galera leaves one out sooner that is dead.
constexpr std::chrono::milliseconds SILENCE_EXCUSED{4'000};

/// So long a server reads in step that has seen a mark; in this time one that ended is set again (SeenMark).
constexpr std::chrono::milliseconds SETTLING{5'000};

/// For so long after a mark was last seen everybody who has met it is sure to read in step, and to see a new one soon.
constexpr std::chrono::milliseconds MARK_OUTLASTED = SETTLING - 2 * LOOK_HOLDS;

using LeaseClock = std::chrono::steady_clock;
using LeaseTime = LeaseClock::time_point;

/// The mark on a node, as this server's looks have seen it. A value.
struct SeenMark {
    std::optional<LeaseTime> since; ///< who has looked from then on has met it; nothing: there is none
    LeaseTime lastSeen;             ///< when the last question that saw it began
    std::uint64_t by = 0;           ///< the session that has it
    bool hasLapsed = false;         ///< nobody had it for so long that others may have forgotten it

    /// `session` has it, as an answer says that came `now`, to a question of `begun`. It ends with its session.
    void see(std::uint64_t session, LeaseTime begun, LeaseTime now);
};

/// The last look at a node. A value.
struct NodeLook {
    LeaseTime begun;       ///< never: the clock's beginning
    bool isMember = false; ///< it took statements, and had the same members as the first node
    bool isMarked = false; ///< somebody writes elsewhere, or is about to
};

/// How long plain reads of the first node may begin, going by the looks at all nodes of the failover order. `members`:
/// those of the cluster, as the first node says. Every member has been looked at in the last second, or else more than
/// half of the nodes have, and each of the others not long before. Who has met a mark reads in step whatever this says.
LeaseTime leaseEnd(std::span<const NodeLook> looks, std::size_t members);

/// From when on every other server's lease is over, or was renewed by a look that met a mark; nothing while `node`,
/// which is to be written to, is not marked. `marks`: since when each node is marked. `members`: as `node` says.
std::optional<LeaseTime> leasesOver(std::span<const std::optional<LeaseTime>> marks, std::size_t node,
                                    std::size_t members);

} // namespace supplierd::host
