#include "host/db/nodes/NodeChoice.h"

#include <algorithm>

namespace supplierd::host {

namespace {

bool shareData(const NodeView& a, const NodeView& b) {
    return !a.cluster.empty() && a.cluster == b.cluster;
}

/// Two parts of a cluster that was begun anew have one name, and each counts its members for itself.
bool mayReturnTo(const NodeView& earlier, const NodeView& current, std::chrono::milliseconds returnAfter) {
    return earlier.fitness == NodeFitness::InStep && earlier.inStepFor >= returnAfter && shareData(earlier, current) &&
           earlier.membership == current.membership;
}

bool belongsTo(const NodeView& node, const std::string& cluster) {
    return cluster.empty() || node.cluster == cluster;
}

bool areAllOfAnother(std::span<const NodeView> nodes, const std::string& cluster) {
    return !cluster.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const NodeView& node) {
        return node.fitness == NodeFitness::InStep && node.cluster != cluster && shareData(node, nodes.front());
    });
}

bool isStray(const NodeView& node) {
    return node.isStray && node.fitness != NodeFitness::Unfit;
}

/// Of those that can be written to.
bool isAmbiguous(std::span<const NodeView> nodes, std::size_t chosen, bool countsStrays) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (i != chosen && nodes[i].fitness != NodeFitness::Unfit && (countsStrays || !nodes[i].isStray) &&
            !shareData(nodes[i], nodes[chosen]))
            return true;
    return false;
}

} // namespace

std::optional<std::size_t> insteadOf(std::span<const NodeView> nodes, std::size_t node) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (i != node && nodes[i].fitness == NodeFitness::InStep && shareData(nodes[i], nodes[node]) &&
            nodes[i].membership == nodes[node].membership)
            return i;
    return std::nullopt;
}

WriterChoice chooseWriter(std::span<const NodeView> nodes, std::optional<std::size_t> current,
                          const std::string& cluster, std::chrono::milliseconds returnAfter) {
    if (current && nodes[*current].fitness != NodeFitness::Unfit && belongsTo(nodes[*current], cluster)) {
        if (nodes[*current].isFull)
            if (const auto other = insteadOf(nodes, *current))
                return {other, false};
        for (std::size_t i = 0; i < *current; ++i)
            if (mayReturnTo(nodes[i], nodes[*current], returnAfter))
                return {i, false};
        return {current, isAmbiguous(nodes, *current, true)};
    }
    std::optional<std::size_t> chosen;
    for (const NodeFitness wanted : {NodeFitness::InStep, NodeFitness::Behind})
        for (std::size_t i = 0; i < nodes.size() && !chosen; ++i)
            if (nodes[i].fitness == wanted && belongsTo(nodes[i], cluster) && !nodes[i].isStray)
                chosen = i;
    if (chosen && cluster.empty() && isAmbiguous(nodes, *chosen, false))
        return {std::nullopt, true};
    return {chosen, false, !chosen && areAllOfAnother(nodes, cluster),
            !chosen && std::any_of(nodes.begin(), nodes.end(), isStray)};
}

} // namespace supplierd::host
