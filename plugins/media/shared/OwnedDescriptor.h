#pragma once

#include <unistd.h>

#include <utility>

namespace supplierd::media {

/// A file descriptor that is closed with the object; -1 is none.
class OwnedDescriptor {
public:
    explicit OwnedDescriptor(int descriptor = -1) : _descriptor(descriptor) {}
    ~OwnedDescriptor() { reset(-1); }
    OwnedDescriptor(OwnedDescriptor&& other) noexcept : _descriptor(other.release()) {}
    OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
        reset(other.release());
        return *this;
    }
    OwnedDescriptor(const OwnedDescriptor&) = delete;
    OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

    explicit operator bool() const { return _descriptor >= 0; }
    int get() const { return _descriptor; }
    int release() { return std::exchange(_descriptor, -1); }

private:
    void reset(int descriptor) {
        if (_descriptor >= 0)
            ::close(_descriptor);
        _descriptor = descriptor;
    }

    int _descriptor;
};

} // namespace supplierd::media
