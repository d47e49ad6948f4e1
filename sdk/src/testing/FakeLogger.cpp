#include <supplierd/testing/FakeLogger.h>

#include <algorithm>

namespace supplierd::testing {

bool FakeLogger::contains(std::string_view messagePart) const {
    return std::any_of(_lines.begin(), _lines.end(), [messagePart](const FakeLogLine& line) {
        return line.message.find(messagePart) != std::string::npos;
    });
}

} // namespace supplierd::testing
