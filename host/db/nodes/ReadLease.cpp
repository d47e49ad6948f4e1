#include "host/db/nodes/ReadLease.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace supplierd::host {

namespace {

using Time = LeaseTime;

/// So many looks and so many marks together are more than there are nodes: one node has both.
std::size_t mostOf(std::size_t nodes) {
    return nodes / 2 + 1;
}
std::size_t marksToMeetMost(std::size_t nodes) {
    return nodes - mostOf(nodes) + 1;
}

/// Nodes outside of the failover order nobody writes to.
std::size_t countOf(std::size_t members, std::size_t nodes) {
    return std::clamp<std::size_t>(members, 1, nodes);
}

} // namespace

void SeenMark::see(std::uint64_t session, Time begun, Time now) {
    const bool isAnother = !since || by != session;
    const bool isMissed = isAnother && lastSeen != Time() && now - lastSeen > MARK_OUTLASTED;
    // Of the former mark not everybody knows who has not had a second to meet it.
    if (!since || isMissed || (isAnother && lastSeen - *since < LOOK_HOLDS))
        since = now;
    hasLapsed = hasLapsed || isMissed;
    by = session;
    lastSeen = begun;
}

Time leaseEnd(std::span<const NodeLook> looks, std::size_t members) {
    std::vector<Time> ends;
    Time excused = Time::max();
    for (const NodeLook& look : looks) {
        if (look.isMember && !look.isMarked)
            ends.push_back(look.begun + LOOK_HOLDS);
        excused = std::min(excused, look.begun + SILENCE_EXCUSED);
    }
    std::sort(ends.begin(), ends.end(), std::greater<>());
    const auto endOf = [&ends](std::size_t wanted) { return wanted <= ends.size() ? ends[wanted - 1] : Time(); };
    return std::max(endOf(countOf(members, looks.size())), std::min(endOf(mostOf(looks.size())), excused));
}

std::optional<Time> leasesOver(std::span<const std::optional<Time>> marks, std::size_t node, std::size_t members) {
    if (!marks[node])
        return std::nullopt;
    std::vector<Time> since;
    for (const auto& mark : marks)
        if (mark)
            since.push_back(*mark);
    std::sort(since.begin(), since.end());
    const std::size_t wanted = std::min(marksToMeetMost(marks.size()), countOf(members, marks.size()));
    // With fewer marks, who does not reach `node` may meet none: until its silence is no longer excused.
    if (since.size() < wanted)
        return *marks[node] + SILENCE_EXCUSED + LOOK_HOLDS;
    return std::max(*marks[node], since[wanted - 1]) + LOOK_HOLDS;
}

} // namespace supplierd::host
