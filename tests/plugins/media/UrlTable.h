#pragma once

#include <string>
#include <vector>

namespace supplierd::tests {

/// A row of ../shared/corpora/ssrf/urls.open.tsv.
struct UrlTableRow {
    std::string id;
    std::string url;
    std::string verdict;
};

/// Empty, after a message, where the corpora are absent.
std::vector<UrlTableRow> urlTable();

} // namespace supplierd::tests
