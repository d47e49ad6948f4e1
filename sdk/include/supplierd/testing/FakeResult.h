#pragma once

#include <supplierd/testing/FakeCell.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::testing {

/// What a scripted statement gives, call by call; the last answer is given again for every further call.
class FakeResult {
public:
    struct Step {
        std::vector<FakeRow> rows;
        std::int64_t affected = 0;
        std::int64_t lastInsertId = 0;
        unsigned errorCode = 0; ///< not 0: DatabaseError
        std::string errorMessage;
    };

    FakeResult& thenRows(std::vector<FakeRow> rows) {
        _steps.push_back({std::move(rows), 0, 0, 0, {}});
        return *this;
    }
    FakeResult& thenAffects(std::int64_t rows, std::int64_t lastInsertId = 0) {
        _steps.push_back({{}, rows, lastInsertId, 0, {}});
        return *this;
    }
    FakeResult& thenThrows(unsigned code, std::string message) {
        _steps.push_back({{}, 0, 0, code, std::move(message)});
        return *this;
    }

    /// The answer to the next call; throws std::logic_error when none was scripted.
    const Step& next();

private:
    std::vector<Step> _steps;
    std::size_t _given = 0;
};

} // namespace supplierd::testing
