#pragma once

#include "shared/Refusal.h"

#include <exception>

namespace supplierd::media {

/// Thrown wherever an image turns out not to be acceptable; the job loop answers with its reason.
class RefusedImage : public std::exception {
public:
    explicit RefusedImage(Refusal reason) : _reason(reason) {}

    Refusal reason() const noexcept { return _reason; }
    const char* what() const noexcept override { return "image refused"; }

private:
    Refusal _reason;
};

} // namespace supplierd::media
