#include "worker/ColourProfile.h"

#include <lcms2.h>
#include <zlib.h>

#include <new>
#include <optional>
#include <type_traits>

namespace supplierd::media {

namespace {

struct CloseProfile {
    void operator()(void* profile) const { ::cmsCloseProfile(profile); }
};
struct DeleteTransform {
    void operator()(void* transform) const { ::cmsDeleteTransform(transform); }
};
using Profile = std::unique_ptr<void, CloseProfile>;
using Transform = std::unique_ptr<void, DeleteTransform>;

constexpr cmsUInt32Number PROFILE_HEADER_BYTES = 128;

/// Grey is read out of the first channel of an RGB pixel, the other two are skipped.
constexpr cmsUInt32Number greyInRgb(cmsUInt32Number alphaChannels) {
    return static_cast<cmsUInt32Number>(COLORSPACE_SH(PT_GRAY) | EXTRA_SH(2 + alphaChannels) | CHANNELS_SH(1) |
                                        BYTES_SH(1));
}

cmsUInt32Number inputFormat(cmsColorSpaceSignature space, PixelForm form) {
    if (form == PixelForm::Cmyk)
        return TYPE_CMYK_8;
    if (space == cmsSigGrayData)
        return greyInRgb(form == PixelForm::Rgba ? 1 : 0);
    return form == PixelForm::Rgba ? TYPE_RGBA_8 : TYPE_RGB_8;
}

bool fits(cmsColorSpaceSignature space, PictureColours colours) {
    switch (colours) {
    case PictureColours::Grey:
        return space == cmsSigGrayData || space == cmsSigRgbData;
    case PictureColours::Rgb:
        return space == cmsSigRgbData;
    case PictureColours::Cmyk:
        return space == cmsSigCmykData;
    }
    return false;
}

class IccProfile final : public ColourProfile {
public:
    IccProfile(Profile profile, cmsColorSpaceSignature space)
        : _profile(std::move(profile)), _srgb(::cmsCreate_sRGBProfile()), _space(space) {}

    Transform transformOf(PixelForm form) const {
        const cmsUInt32Number output = form == PixelForm::Rgba ? TYPE_RGBA_8 : TYPE_RGB_8;
        return Transform(::cmsCreateTransform(_profile.get(), inputFormat(_space, form), _srgb.get(), output,
                                              INTENT_PERCEPTUAL, cmsFLAGS_BLACKPOINTCOMPENSATION));
    }

    Raster toSrgb(Raster raster) const override {
        const auto transform = transformOf(raster.form);
        if (!transform)
            return raster.form == PixelForm::Cmyk ? plainCmykToSrgb(raster) : std::move(raster);
        Raster converted = raster; // brings the alpha channel along, which a transform leaves alone
        if (raster.form == PixelForm::Cmyk) {
            converted.form = PixelForm::Rgb;
            converted.samples.resize(std::size_t{3} * raster.width * raster.height);
        }
        ::cmsDoTransform(transform.get(), raster.samples.data(), converted.samples.data(),
                         raster.width * raster.height);
        return converted;
    }

private:
    Profile _profile;
    Profile _srgb;
    cmsColorSpaceSignature _space;
};

} // namespace

std::unique_ptr<const ColourProfile> ColourProfile::open(std::string_view bytes, PictureColours colours) {
    if (bytes.size() <= PROFILE_HEADER_BYTES)
        return nullptr;
    Profile profile(::cmsOpenProfileFromMem(bytes.data(), static_cast<cmsUInt32Number>(bytes.size())));
    if (!profile)
        return nullptr;
    const auto space = ::cmsGetColorSpace(profile.get());
    if (!fits(space, colours))
        return nullptr;
    auto opened = std::make_unique<IccProfile>(std::move(profile), space);
    if (!opened->transformOf(colours == PictureColours::Cmyk ? PixelForm::Cmyk : PixelForm::Rgb))
        return nullptr;
    return opened;
}

Raster plainCmykToSrgb(const Raster& raster) {
    Raster converted{raster.width, raster.height, PixelForm::Rgb, {}};
    converted.samples.reserve(std::size_t{3} * raster.width * raster.height);
    for (std::size_t at = 0; at + 3 < raster.samples.size(); at += 4) {
        const unsigned light = 255U - raster.samples[at + 3];
        for (std::size_t ink = 0; ink < 3; ++ink)
            converted.samples.push_back(static_cast<std::uint8_t>((255U - raster.samples[at + ink]) * light / 255U));
    }
    return converted;
}

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
