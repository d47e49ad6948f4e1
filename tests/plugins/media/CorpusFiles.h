#pragma once

#include <string>
#include <vector>

namespace supplierd::tests {

/// A picture of ../shared/corpora and what is expected of it: "accept", "reject" or "either".
struct CorpusFile {
    std::string folder;
    std::string name;
    std::string expected;
    std::string group;
    std::string content;
};

/// Every picture of every img-* folder. Empty, after a message, where the corpora are absent.
std::vector<CorpusFile> corpusFiles();

} // namespace supplierd::tests
