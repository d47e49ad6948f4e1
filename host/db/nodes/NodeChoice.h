#pragma once

#include "host/db/nodes/NodeReport.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace supplierd::host {

/// What is known of a node when one has to be chosen.
struct NodeView {
    NodeFitness fitness = NodeFitness::Unfit;
    std::string cluster{};                  ///< NodeReport::cluster
    std::int64_t view = 0;                  ///< NodeReport::view
    std::chrono::milliseconds inStepFor{0}; ///< without interruption
    bool isFull = false;                    ///< NodeReport::isFull()
    /// Of no cluster, not the last one that was written to, nor seen closed for writes since: not known to have
    /// followed that one.
    bool isFormerPrimary = false;
    bool isSilentMember = false; ///< it does not answer, and for all we know its cluster counts it as a member
    bool isLastWriter = false;   ///< this server wrote to it last
    bool isOthersWriter = false; ///< other servers write to it
};

struct WriterChoice {
    std::optional<std::size_t> node;
    /// Nodes can be written to that do not share their data: whichever is taken, writes would be lost.
    bool isAmbiguous = false;
    /// Every node is in step, and all are of one cluster that is not the last one's: it was bootstrapped anew, and
    /// nobody is left of the former one. Its data may be older than what this process remembers.
    bool isReplaced = false;
    /// None can be written to but former primaries.
    bool areFormerPrimaries = false;
    /// This node does not answer, and others may write to it: none is written to until its cluster leaves it out.
    std::optional<std::size_t> awaited{};
};

/// Which node is written to, of those in failover order, by what is seen of them and what was written to before:
/// - the first one that is in step; when none is, the first that can be written to;
/// - one that is written to stays, unless it becomes unfit, or its disk is full and another one of its cluster is in
///   step, or an earlier one of its cluster has been in step with it for `returnAfter`, or is written to by others. A
///   primary that comes back beside its promoted replica is in step with nobody, and not chosen when that one is away;
/// - none while a silent member was written to last, or an earlier silent member is written to by others;
/// - none of another cluster than `cluster`, that of the last one, not even the present one when it was bootstrapped.
WriterChoice chooseWriter(std::span<const NodeView> nodes, std::optional<std::size_t> current,
                          const std::string& cluster, std::chrono::milliseconds returnAfter);

/// The first one in step of the same cluster and the same members.
std::optional<std::size_t> insteadOf(std::span<const NodeView> nodes, std::size_t node);

/// Whether its cluster has gone on without that node: it has not reported the latest view, and every member of that
/// one has. It does not matter how old a report is, since the members of a view never change.
bool isLeftOut(std::span<const NodeReport> reports, std::size_t node);

} // namespace supplierd::host
