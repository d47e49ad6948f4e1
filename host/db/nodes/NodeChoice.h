#pragma once

#include "host/db/nodes/NodeReport.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace supplierd::host {

/// What is known of a node when one has to be chosen.
struct NodeView {
    NodeFitness fitness = NodeFitness::Unfit;
    std::string cluster{};                  ///< NodeReport::cluster
    std::string membership{};               ///< NodeReport::membership
    std::chrono::milliseconds inStepFor{0}; ///< without interruption
    bool isFull = false;                    ///< NodeReport::isFull()
    /// Of no cluster, not the last one that was written to, nor seen closed for writes since: not known to have
    /// followed that one, as a former primary that comes back.
    bool isStray = false;
};

struct WriterChoice {
    std::optional<std::size_t> node;
    /// Nodes can be written to that do not share their data: whichever is taken, writes would be lost.
    bool isAmbiguous = false;
    /// Every node is in step, and all are of one cluster that is not the last one's: it was begun anew, and nobody is
    /// left of the former. Its data may be older than what this process remembers.
    bool isReplaced = false;
    /// None can be written to but strays.
    bool areStray = false;
};

/// Which node is written to, of those in failover order. Every server that sees the same chooses the same:
/// - the first one that is in step; when none is, the first that can be written to;
/// - one that is written to stays, unless it becomes unfit, or its disk is full and another one of its cluster is in
///   step, or an earlier one of its cluster has been in step with it for `returnAfter`. A primary that comes back
///   beside its promoted replica is in step with nobody, and not gone to when that one is away, either;
/// - none of another cluster than `cluster`, that of the last one, not even the present one when it was begun anew.
WriterChoice chooseWriter(std::span<const NodeView> nodes, std::optional<std::size_t> current,
                          const std::string& cluster, std::chrono::milliseconds returnAfter);

/// The first one in step of the same cluster and the same members.
std::optional<std::size_t> insteadOf(std::span<const NodeView> nodes, std::size_t node);

} // namespace supplierd::host
