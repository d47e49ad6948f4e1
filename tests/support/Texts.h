#pragma once

#include <cppunit/Asserter.h>
#include <cppunit/SourceLine.h>

#include <source_location>
#include <string>
#include <string_view>

namespace supplierd::tests {

/// Fails the test at the caller's line, showing both, unless `part` occurs in `text`.
inline void requireIn(std::string_view part, std::string_view text,
                      const std::source_location& where = std::source_location::current()) {
    CPPUNIT_NS::Asserter::failIf(text.find(part) == std::string_view::npos,
                                 "'" + std::string(part) + "' is missing in: " + std::string(text),
                                 CPPUNIT_NS::SourceLine(where.file_name(), static_cast<int>(where.line())));
}

} // namespace supplierd::tests
