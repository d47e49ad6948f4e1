#include <supplierd/StopSignal.h>

#include <Poco/Exception.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace supplierd {

StopSignal::StopSignal() : _descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (_descriptor < 0)
        throw Poco::SystemException("cannot create an event descriptor", errno);
}

StopSignal::~StopSignal() {
    ::close(_descriptor);
}

void StopSignal::raise() {
    if (!_isRaised.exchange(true))
        ::eventfd_write(_descriptor, 1);
}

} // namespace supplierd
