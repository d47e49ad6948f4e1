#include "PictureFile.h"

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

#include <cstdio> // jpeglib.h needs FILE
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace supplierd::demo {

namespace {

constexpr int JPEG_QUALITY = 88;
constexpr float WEBP_QUALITY = 84;
constexpr int WEBP_QUICKLY = 1; // of 0 to 6

struct Release {
    void operator()(unsigned char* bytes) const { std::free(bytes); } // NOLINT: libjpeg allocates with malloc
};

[[noreturn]] void fail(const char* format) {
    throw std::runtime_error(std::string("a picture could not be written as ") + format);
}

/// libjpeg's default ends the program on an error; with pixels in memory there is none but a lack of memory.
std::string toJpeg(const Canvas& canvas) {
    jpeg_compress_struct job{};
    jpeg_error_mgr errors{};
    job.err = jpeg_std_error(&errors);
    jpeg_create_compress(&job);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&job, &bytes, &size);
    job.image_width = static_cast<JDIMENSION>(canvas.width());
    job.image_height = static_cast<JDIMENSION>(canvas.height());
    job.input_components = 3;
    job.in_color_space = JCS_RGB;
    jpeg_set_defaults(&job);
    jpeg_set_quality(&job, JPEG_QUALITY, TRUE);
    jpeg_start_compress(&job, TRUE);
    const std::size_t stride = static_cast<std::size_t>(canvas.width()) * 3;
    while (job.next_scanline < job.image_height) {
        auto* row = const_cast<JSAMPLE*>(canvas.pixels().data() + job.next_scanline * stride); // it only reads
        jpeg_write_scanlines(&job, &row, 1);
    }
    jpeg_finish_compress(&job);
    jpeg_destroy_compress(&job);
    const std::unique_ptr<unsigned char, Release> owner(bytes);
    return {reinterpret_cast<const char*>(bytes), size};
}

std::string toPng(const Canvas& canvas) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(canvas.width());
    image.height = static_cast<png_uint_32>(canvas.height());
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
    png_alloc_size_t size = file.size();
    if (png_image_write_to_memory(&image, file.data(), &size, 0, canvas.pixels().data(), 0, nullptr) == 0)
        fail("PNG");
    file.resize(size);
    return file;
}

std::string toWebp(const Canvas& canvas) {
    WebPConfig config;
    WebPPicture picture;
    if (WebPConfigPreset(&config, WEBP_PRESET_PHOTO, WEBP_QUALITY) == 0 || WebPPictureInit(&picture) == 0)
        fail("WebP");
    config.method = WEBP_QUICKLY;
    picture.width = canvas.width();
    picture.height = canvas.height();
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    const bool isWritten = WebPPictureImportRGB(&picture, canvas.pixels().data(), canvas.width() * 3) != 0 &&
                           WebPEncode(&config, &picture);
    std::string file(reinterpret_cast<const char*>(writer.mem), isWritten ? writer.size : 0);
    WebPMemoryWriterClear(&writer);
    WebPPictureFree(&picture);
    if (!isWritten)
        fail("WebP");
    return file;
}

} // namespace

std::string_view extensionOf(PictureFormat format) {
    return format == PictureFormat::Jpeg ? "jpg" : format == PictureFormat::Png ? "png" : "webp";
}

std::string_view mediaTypeOf(PictureFormat format) {
    return format == PictureFormat::Jpeg ? "image/jpeg" : format == PictureFormat::Png ? "image/png" : "image/webp";
}

std::string encoded(const Canvas& canvas, PictureFormat format) {
    switch (format) {
    case PictureFormat::Jpeg:
        return toJpeg(canvas);
    case PictureFormat::Png:
        return toPng(canvas);
    case PictureFormat::Webp:
        break;
    }
    return toWebp(canvas);
}

} // namespace supplierd::demo
