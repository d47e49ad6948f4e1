#include "tests/plugins/media/ImageFixtures.h"
#include "worker/CheckedBytes.h"

#include <zlib.h>

namespace supplierd::tests {
namespace {

std::string deflated(std::string_view bytes) {
    uLongf size = ::compressBound(bytes.size());
    std::string out(size, '\0');
    ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    return out.substr(0, size);
}

} // namespace

std::string pngChunk(std::string_view type, std::string_view body) {
    std::string chunk;
    media::appendBig32(chunk, static_cast<std::uint32_t>(body.size()));
    chunk.append(type).append(body);
    const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(chunk.data() + 4), chunk.size() - 4);
    media::appendBig32(chunk, static_cast<std::uint32_t>(sum));
    return chunk;
}

std::string pngOf(std::uint32_t width, std::uint32_t height, std::string_view rows) {
    std::string header;
    media::appendBig32(header, width);
    media::appendBig32(header, height);
    header += std::string_view("\x01\0\0\0\0", 5); // 1-bit grey
    return "\x89PNG\r\n\x1A\n" + pngChunk("IHDR", header) + pngChunk("IDAT", deflated(rows)) + pngChunk("IEND", {});
}

std::string blackPng(std::uint32_t width, std::uint32_t height) {
    const std::size_t rowBytes = 1 + (std::size_t{width} + 7) / 8;
    return pngOf(width, height, std::string(rowBytes * height, '\0'));
}

} // namespace supplierd::tests
