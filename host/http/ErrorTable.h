#pragma once

#include <supplierd/Errors.h>

#include <string>
#include <string_view>

namespace supplierd::host {

struct ErrorRow {
    int status;
    std::string_view code;
};

/// The one place that maps kinds of errors to what a client sees.
ErrorRow errorRow(ErrorKind kind);

/// The `error` object of an envelope, without its braces and without request_id: `"code":…,"message":…,"details":…`.
/// The message of an internal error is replaced by a fixed text.
std::string errorFragment(const ApiError& error);

/// Whole bodies. `fragment` is from errorFragment().
void appendSuccess(std::string& out, std::string_view data);
void appendFailure(std::string& out, std::string_view fragment, std::string_view requestId);

} // namespace supplierd::host
