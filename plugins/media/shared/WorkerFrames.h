#pragma once

#include "shared/ImageLimits.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace supplierd::media {

/// The conversation between server and `supplierd-imageworker` over one stream socket, the worker's descriptor 0:
/// the worker says Hello once its sandbox is closed, then for every Job (header, image bytes) one Answer (header,
/// sanitized original, thumbnail). Both ends are the same build on the same machine: plain structs, host byte order.
constexpr std::uint32_t HELLO_MAGIC = 0x31574953;  // "SIW1"
constexpr std::uint32_t JOB_MAGIC = 0x314A4953;    // "SIJ1"
constexpr std::uint32_t ANSWER_MAGIC = 0x31414953; // "SIA1"
constexpr int WORKER_CHANNEL = 0;

struct Hello {
    std::uint32_t magic = HELLO_MAGIC;
    std::uint32_t processId = 0;
};

struct JobHeader {
    std::uint32_t magic = JOB_MAGIC;
    std::uint32_t imageBytes = 0;
};

struct ResultHeader {
    std::uint32_t magic = ANSWER_MAGIC;
    std::uint8_t refusal = 0; ///< a Refusal, or 0: then everything below is set
    std::uint8_t type = 0;    ///< ImageType of the original
    std::uint8_t thumbnailType = 0;
    std::uint8_t reserved = 0;
    std::uint32_t width = 0; ///< as shown: orientation applied
    std::uint32_t height = 0;
    std::uint32_t thumbnailWidth = 0;
    std::uint32_t thumbnailHeight = 0;
    std::uint32_t originalBytes = 0;
    std::uint32_t thumbnailBytes = 0;
};

static_assert(std::is_trivially_copyable_v<Hello> && sizeof(Hello) == 8);
static_assert(std::is_trivially_copyable_v<JobHeader> && sizeof(JobHeader) == 8);
static_assert(std::is_trivially_copyable_v<ResultHeader> && sizeof(ResultHeader) == 32);

/// What an answer may measure. A rewritten colour profile can make an original a little larger than what came.
constexpr std::size_t MAX_ORIGINAL_BYTES = MAX_IMAGE_BYTES + std::size_t{256} * 1024;
constexpr std::size_t MAX_THUMBNAIL_BYTES = std::size_t{1024} * 1024;

} // namespace supplierd::media
