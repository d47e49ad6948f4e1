#pragma once

#include <array>
#include <string>

namespace supplierd::apidocs {

/// A request as a reader sends it.
struct SampleRequest {
    std::string method; ///< "POST"
    std::string url;    ///< percent-encoded
    bool hasKey = true; ///< of the environment, KEY
    std::string contentType;
    std::string body;    ///< "" for none
    std::string file;    ///< the reader's, which is the body instead; "" for none
    bool isFile = false; ///< the response is bytes, which are saved
};

struct LanguageCode {
    const char* id; ///< "js", as in the guides
    const char* name;
    std::string code;
};

/// The request as a program in each language of the guides: it prints the response, or saves it as response.bin. Python
/// raises an error when the status says one.
std::array<LanguageCode, 4> requestCode(SampleRequest request);

} // namespace supplierd::apidocs
