#pragma once

#include <supplierd/Query.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// 1 to 64 of [A-Za-z0-9._-].
bool isValidRequestId(std::string_view text);
/// Unique among all hosts for all practical purposes; no secret.
std::string newRequestId();

/// The target of a request line, split before it is decoded: `%2f` in a segment stays in that segment.
struct RequestTarget {
    std::string_view path;  ///< raw, without the query
    std::string_view query; ///< raw, without the '?'
    std::vector<std::string> segments;

    /// Takes the origin form ("/a/b?c") and the absolute form ("http://host/a"). Views point into `raw`.
    /// Throws ApiError (BadRequest): another form, a broken percent escape, U+0000, invalid UTF-8.
    static RequestTarget parse(std::string_view raw);
};

/// The parameters of a form. Of more than 1,000 nothing but a problem: `too_many`.
QueryParameters parseForm(std::string_view body, Details& problems);

} // namespace supplierd::host
