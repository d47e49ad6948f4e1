#include <supplierd/Errors.h>

namespace supplierd {

ApiError ApiError::validation(std::vector<Detail> details) {
    std::string message = details.empty() ? "The request is not valid" : details.front().message;
    return {ErrorKind::Validation, std::move(message), std::move(details)};
}

} // namespace supplierd
