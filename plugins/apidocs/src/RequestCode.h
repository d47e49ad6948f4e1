#pragma once

#include <array>
#include <string>

namespace supplierd::apidocs {

/// A request as a reader sends it.
struct SampleRequest {
    std::string method; ///< "POST"
    std::string url;
    bool hasKey = true; ///< of the environment, KEY
    std::string contentType;
    std::string body; ///< "" for none
};

struct LanguageCode {
    const char* id; ///< "js", as in the guides
    const char* name;
    std::string code;
};

/// The request as a program in each language of the guides: it prints the answer.
std::array<LanguageCode, 4> requestCode(const SampleRequest& request);

} // namespace supplierd::apidocs
