#include <supplierd/Gzip.h>
#include <supplierd/Validation.h>

#include <Poco/DeflatingStream.h>
#include <Poco/String.h>

#include <algorithm>
#include <sstream>

namespace supplierd {

namespace {

/// A weight of zero ("0", "0.", "0.000").
bool isZero(std::string_view weight) {
    return !weight.empty() && weight.find_first_not_of("0.") == std::string_view::npos;
}

struct Coding {
    std::string name;
    bool isAccepted = true;
};

/// "gzip;q=0.8"
Coding readCoding(std::string_view element) {
    const auto semicolon = element.find(';');
    Coding coding{Poco::toLower(std::string(trimmed(element.substr(0, semicolon))))};
    if (semicolon == std::string_view::npos)
        return coding;
    const auto parameter = trimmed(element.substr(semicolon + 1));
    if (parameter.starts_with("q=") || parameter.starts_with("Q="))
        coding.isAccepted = !isZero(parameter.substr(2));
    return coding;
}

} // namespace

bool acceptsGzip(std::string_view acceptEncoding) {
    bool acceptsAny = false;
    while (!acceptEncoding.empty()) {
        const auto comma = std::min(acceptEncoding.find(','), acceptEncoding.size());
        const auto coding = readCoding(acceptEncoding.substr(0, comma));
        acceptEncoding.remove_prefix(std::min(comma + 1, acceptEncoding.size()));
        if (coding.name == "gzip" || coding.name == "x-gzip")
            return coding.isAccepted;
        acceptsAny = acceptsAny || (coding.name == "*" && coding.isAccepted);
    }
    return acceptsAny;
}

std::string gzipped(std::string_view bytes, int level) {
    std::ostringstream out;
    Poco::DeflatingOutputStream stream(out, Poco::DeflatingStreamBuf::STREAM_GZIP, level);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    return std::move(out).str();
}

} // namespace supplierd
