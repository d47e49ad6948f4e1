#include "host/db/nodes/NodeChoice.h"

#include <algorithm>

namespace supplierd::host {

namespace {

bool shareData(const NodeView& a, const NodeView& b) {
    return !a.cluster.empty() && a.cluster == b.cluster;
}

/// Two parts of a cluster that was bootstrapped twice have one name, and each counts its views for itself.
bool mayReturnTo(const NodeView& earlier, const NodeView& current, std::chrono::milliseconds returnAfter) {
    return earlier.fitness == NodeFitness::InStep && shareData(earlier, current) && earlier.view == current.view &&
           (earlier.inStepFor >= returnAfter || earlier.isOthersWriter);
}

bool belongsTo(const NodeView& node, const std::string& cluster) {
    return cluster.empty() || node.cluster == cluster;
}

bool areAllOfAnother(std::span<const NodeView> nodes, const std::string& cluster) {
    return !cluster.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const NodeView& node) {
        return node.fitness == NodeFitness::InStep && node.cluster != cluster && shareData(node, nodes.front());
    });
}

bool isWritableFormerPrimary(const NodeView& node) {
    return node.isFormerPrimary && node.fitness != NodeFitness::Unfit;
}

/// Of those that can be written to.
bool isAmbiguous(std::span<const NodeView> nodes, std::size_t chosen, bool countsFormerPrimaries) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (i != chosen && nodes[i].fitness != NodeFitness::Unfit &&
            (countsFormerPrimaries || !nodes[i].isFormerPrimary) && !shareData(nodes[i], nodes[chosen]))
            return true;
    return false;
}

WriterChoice keepOrReturn(std::span<const NodeView> nodes, std::size_t current, std::chrono::milliseconds returnAfter) {
    if (nodes[current].isFull)
        if (const auto other = insteadOf(nodes, current))
            return {other};
    for (std::size_t i = 0; i < current; ++i)
        if (mayReturnTo(nodes[i], nodes[current], returnAfter))
            return {i};
    return {current, isAmbiguous(nodes, current, true)};
}

WriterChoice chooseAnew(std::span<const NodeView> nodes, const std::string& cluster) {
    std::optional<std::size_t> chosen;
    for (const NodeFitness wanted : {NodeFitness::InStep, NodeFitness::Behind})
        for (std::size_t i = 0; i < nodes.size() && !chosen; ++i)
            if (nodes[i].fitness == wanted && belongsTo(nodes[i], cluster) && !nodes[i].isFormerPrimary)
                chosen = i;
    if (chosen && cluster.empty() && isAmbiguous(nodes, *chosen, false))
        return {std::nullopt, true};
    return {chosen, false, !chosen && areAllOfAnother(nodes, cluster),
            !chosen && std::any_of(nodes.begin(), nodes.end(), isWritableFormerPrimary)};
}

} // namespace

std::optional<std::size_t> insteadOf(std::span<const NodeView> nodes, std::size_t node) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (i != node && nodes[i].fitness == NodeFitness::InStep && shareData(nodes[i], nodes[node]) &&
            nodes[i].view == nodes[node].view)
            return i;
    return std::nullopt;
}

WriterChoice chooseWriter(std::span<const NodeView> nodes, std::optional<std::size_t> current,
                          const std::string& cluster, std::chrono::milliseconds returnAfter) {
    const bool stays = current && nodes[*current].fitness != NodeFitness::Unfit && belongsTo(nodes[*current], cluster);
    WriterChoice choice = stays ? keepOrReturn(nodes, *current, returnAfter) : chooseAnew(nodes, cluster);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool isWritten = nodes[i].isLastWriter || (nodes[i].isOthersWriter && i < choice.node.value_or(i));
        if (nodes[i].isSilentMember && isWritten)
            choice = {std::nullopt, choice.isAmbiguous, choice.isReplaced, choice.areFormerPrimaries, i};
    }
    return choice;
}

bool isLeftOut(std::span<const NodeReport> reports, std::size_t node) {
    const NodeReport& own = reports[node];
    const NodeReport* latest = &own;
    for (const NodeReport& report : reports)
        if (report.view > latest->view && (own.cluster.empty() || report.cluster == own.cluster))
            latest = &report;
    const auto seen = std::count_if(reports.begin(), reports.end(), [latest](const NodeReport& report) {
        return report.cluster == latest->cluster && report.view == latest->view;
    });
    return latest != &own && latest->members <= static_cast<std::size_t>(seen);
}

} // namespace supplierd::host
