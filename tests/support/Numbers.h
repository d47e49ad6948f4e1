#pragma once

#include <string>

namespace supplierd::tests {

/// A table for FROM whose column `seq` has the numbers from 1 on, in MariaDB and in MySQL.
inline std::string numbersTo(const std::string& last) {
    return "JSON_TABLE(CONCAT('[0', REPEAT(',0', " + last + " - 1), ']'), '$[*]' COLUMNS (seq FOR ORDINALITY)) numbers";
}

inline std::string numbersTo(long last) {
    return numbersTo(std::to_string(last));
}

} // namespace supplierd::tests
