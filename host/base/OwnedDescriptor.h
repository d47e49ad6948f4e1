#pragma once

#include <unistd.h>

#include <utility>

namespace supplierd::host {

/// A file descriptor that is closed with the object; -1 is none. Thread: one at a time.
class OwnedDescriptor {
public:
    explicit OwnedDescriptor(int descriptor = -1) : _descriptor(descriptor) {}
    ~OwnedDescriptor() { reset(); }
    OwnedDescriptor(const OwnedDescriptor&) = delete;
    OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

    int get() const { return _descriptor; }
    /// Closes it, and has `descriptor` from now on.
    void reset(int descriptor = -1) {
        if (const int had = std::exchange(_descriptor, descriptor); had >= 0)
            ::close(had);
    }

private:
    int _descriptor;
};

} // namespace supplierd::host
