#pragma once

#include <supplierd/Errors.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

struct ErrorRow {
    int status;
    std::string_view code;
};

/// The one place that maps kinds of errors to what a client sees.
ErrorRow errorRow(ErrorKind kind);

/// Of an error that the gate finds, which has no kind.
std::string_view errorCode(int status);

/// What a client may read of it: of an internal error a fixed text.
std::string_view publicMessage(const ApiError& error);

/// The `error` object of an envelope, without its braces and without request_id: `"code":…,"message":…,"details":…`.
/// The message of an internal error is replaced by a fixed text.
std::string errorFragment(const ApiError& error);
std::string errorFragment(std::string_view code, std::string_view message);

/// What follows `"data":` in the envelope of a success: the data, and `"warnings":[…]` when there are any, of both
/// kinds Response::MAX_WARNINGS at most.
std::string successPayload(std::string data, const std::vector<Detail>& warnings, const std::vector<Detail>& more);

/// Whole bodies. `payload` is from successPayload(), `fragment` from errorFragment().
void appendSuccess(std::string& out, std::string_view payload);
void appendFailure(std::string& out, std::string_view fragment, std::string_view requestId);

} // namespace supplierd::host
