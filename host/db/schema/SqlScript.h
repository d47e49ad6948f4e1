#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The text ends within a quotation or a comment.
class SqlScriptError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The statements of an SQL file, without their semicolons and the comments before them. Semicolons within quotations
/// and comments do not count; DELIMITER is not known. Throws SqlScriptError.
std::vector<std::string> splitStatements(std::string_view script);

} // namespace supplierd::host
