#pragma once

#include <supplierd/JsonWriter.h>
#include <supplierd/MediaLibrary.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace supplierd::host {

/// What `media verify` found, for people, for programs and for the audit log.
struct MediaFindings {
    MediaReport report;
    bool repair = false;
    bool interrupted = false;

    /// Nothing is wrong, or nothing is wrong any more; and everything was looked at.
    bool isGood() const { return !interrupted && left() == 0; }
    std::uint64_t left() const { return report.problems() - std::min(report.repaired, report.problems()); }

    /// Several lines.
    std::string describe() const;
    void appendJson(JsonWriter& json) const;
    /// The counts alone, those that are not 0.
    void appendCounts(JsonWriter& json) const;
};

} // namespace supplierd::host
