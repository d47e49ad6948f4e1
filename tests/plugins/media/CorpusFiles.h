#pragma once

#include <optional>
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

    /// The code of the refusal that is due, "" for a picture that is to be taken, nothing where the code is free.
    std::optional<std::string> expectedCode() const;
    /// Whether an outcome is right: `code` is that of the refusal, "" for a picture that was taken.
    bool allows(const std::string& code) const;
};

/// Every picture of every img-* folder. Empty, after a message, where the corpora are absent.
std::vector<CorpusFile> corpusFiles();

} // namespace supplierd::tests
