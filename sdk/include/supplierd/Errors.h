#pragma once

#include <supplierd/Abi.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace supplierd {

/// An entry of `error.details` or of `warnings`. `code` is one of: required, type, out_of_range, too_long, not_in_set,
/// duplicate, unknown_reference, unsupported, too_many, too_old, unknown (a warning); a 403 has its own (scope, ...).
struct SUPPLIERD_API Detail {
    std::string field;
    std::string code;
    std::string message;
    /// What else the entry has: names, and their values in JSON.
    std::vector<std::pair<std::string, std::string>> members = {};
    /// As `members`, but those of the first entry that has any stand in `error` itself, too.
    std::vector<std::pair<std::string, std::string>> errorMembers = {};
    Reserved reserved = {};
};

/// What went wrong, in the terms of the API. The host's error table maps each to a status and a code.
enum class ErrorKind {
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    LengthRequired,
    PreconditionFailed,
    PayloadTooLarge,
    UnsupportedMediaType,
    Validation,
    RateLimited,
    Internal,
    Unavailable,
    /// Of a content's bytes; the host throws it by itself.
    RangeNotSatisfiable
};

/// Thrown by a handler to answer with an error envelope. `what()` is public: it goes to the client word for word
/// (except for Internal, whose public text is fixed). Thread: any. Since 1.0.
class SUPPLIERD_API ApiError : public std::exception {
public:
    ApiError(ErrorKind kind, std::string message, std::vector<Detail> details = {})
        : _kind(kind), _message(std::move(message)), _details(std::move(details)) {}

    static ApiError notFound(std::string message = "Not found") { return {ErrorKind::NotFound, std::move(message)}; }
    static ApiError conflict(std::string message) { return {ErrorKind::Conflict, std::move(message)}; }
    static ApiError preconditionFailed(std::string message) {
        return {ErrorKind::PreconditionFailed, std::move(message)};
    }
    static ApiError unavailable(std::string message) { return {ErrorKind::Unavailable, std::move(message)}; }
    /// A 422 whose message is the first detail's.
    static ApiError validation(std::vector<Detail> details);

    ErrorKind kind() const noexcept { return _kind; }
    const char* what() const noexcept override { return _message.c_str(); }
    const std::string& message() const noexcept { return _message; }
    const std::vector<Detail>& details() const noexcept { return _details; }
    /// Seconds for `Retry-After`; 0 when there is none.
    int retryAfter() const noexcept { return _retryAfter; }
    ApiError& withRetryAfter(int seconds) {
        _retryAfter = seconds;
        return *this;
    }

private:
    ErrorKind _kind;
    std::string _message;
    std::vector<Detail> _details;
    int _retryAfter = 0;
    Reserved _reserved;
};

} // namespace supplierd
