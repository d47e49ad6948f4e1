#include "worker/DeflatedProfile.h"

#include <zlib.h>

#include <new>

namespace supplierd::media {
namespace {

constexpr std::size_t MAX_NAME = 79;
constexpr std::size_t MAX_PROFILE = std::size_t{4} * 1024 * 1024;
constexpr std::string_view NAME = "ICC";

const Bytef* bytesOf(std::string_view text) {
    return reinterpret_cast<const Bytef*>(text.data());
}

/// The zlib stream behind the name; empty when the form is not right.
std::string_view streamOf(std::string_view chunkBody) {
    const std::size_t name = chunkBody.find('\0');
    if (name == std::string_view::npos || name == 0 || name > MAX_NAME || name + 2 > chunkBody.size() ||
        chunkBody[name + 1] != 0)
        return {};
    return chunkBody.substr(name + 2);
}

} // namespace

std::string inflatedProfile(std::string_view chunkBody) {
    const auto stream = streamOf(chunkBody);
    if (stream.empty())
        return {};
    std::string profile(MAX_PROFILE, '\0');
    uLongf size = profile.size();
    if (::uncompress(reinterpret_cast<Bytef*>(profile.data()), &size, bytesOf(stream), stream.size()) != Z_OK)
        return {};
    profile.resize(size);
    return profile;
}

std::string deflatedProfile(std::string_view profile) {
    std::string body(NAME);
    body += '\0'; // end of the name
    body += '\0'; // method: zlib
    const std::size_t begin = body.size();
    uLongf size = ::compressBound(profile.size());
    body.resize(begin + size);
    if (::compress2(reinterpret_cast<Bytef*>(body.data() + begin), &size, bytesOf(profile), profile.size(),
                    Z_BEST_COMPRESSION) != Z_OK)
        throw std::bad_alloc(); // the buffer is large enough by definition: only memory can be missing
    body.resize(begin + size);
    return body;
}

} // namespace supplierd::media
