#include "AsciiCase.h"

#include <supplierd/Gzip.h>
#include <supplierd/Validation.h>

#define ZLIB_CONST // it only reads what it is given
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

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
    Coding coding{lowerAscii(trimmed(element.substr(0, semicolon)))};
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
    constexpr int GZIP = 16;
    constexpr int MEMORY = 8; // zlib's default
    z_stream stream{};
    const int begun = ::deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY);
    if (begun == Z_MEM_ERROR)
        throw std::bad_alloc();
    if (begun != Z_OK)
        throw std::invalid_argument("zlib does not take the level " + std::to_string(level));
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, &::deflateEnd);
    const auto bound = ::deflateBound(&stream, bytes.size());
    if (bound > std::numeric_limits<uInt>::max()) // zlib would pack what is left of the length
        throw std::length_error("what is to be packed is longer than 4 GiB");
    std::string packed(bound, '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(bound);
    if (::deflate(&stream, Z_FINISH) != Z_STREAM_END)
        throw std::logic_error("zlib needs more than its own bound");
    packed.resize(stream.total_out);
    packed.shrink_to_fit(); // much of it is kept
    return packed;
}

} // namespace supplierd
