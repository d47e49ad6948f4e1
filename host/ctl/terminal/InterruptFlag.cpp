#include "host/ctl/terminal/InterruptFlag.h"

namespace supplierd::host {

namespace {

volatile std::sig_atomic_t raised = 0;

void raiseFlag(int) {
    raised = 1;
}

} // namespace

InterruptFlag::InterruptFlag() {
    raised = 0;
    struct sigaction action {};
    action.sa_handler = raiseFlag;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &_interrupt);
    ::sigaction(SIGTERM, &action, &_terminate);
}

InterruptFlag::~InterruptFlag() {
    ::sigaction(SIGINT, &_interrupt, nullptr);
    ::sigaction(SIGTERM, &_terminate, nullptr);
}

bool InterruptFlag::isRaised() const {
    return raised != 0;
}

} // namespace supplierd::host
