#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace supplierd::host {

std::string urlEncoded(const std::string& text);

/// What a person types for a command of a server's table, and the parts of the request that it becomes. Lifetime: as
/// long as the command line. Thread: one.
class CommandInputs {
public:
    using Places = std::map<std::string, std::string>;

    /// `row`: the command's, which outlives it.
    explicit CommandInputs(const ResponseJson& row) : _row(row) {}

    /// Gives the command its arguments and options.
    void declare(CLI::App& command);
    /// Throws CommandFailure (Usage): a secret was typed, or the command does nothing without an option.
    void check() const;

    /// What was typed, by the API's names; `each`: the one of several that goes into the path.
    Places places(const std::string& each = {}) const;
    /// Of a command that does the same with each: what they are.
    std::vector<std::string> each() const;
    /// What the person calls what the API takes.
    std::map<std::string, std::string> names() const;
    /// With the query. Throws CommandFailure (Usage).
    std::string path(const Places& places) const;
    /// Of the requests that it takes, mostly one; "" where no field was given, and the command has none. Throws
    /// CommandFailure (Usage).
    std::vector<std::string> bodies();

    std::string file; ///< of `upload` or `save`
    bool isSure = false;
    bool wantsAll = false;
    bool returnsAtOnce = false;

private:
    struct Input {
        const ResponseJson& rule;
        std::vector<std::string> values;
        bool isSet = false; ///< of a flag
    };

    void declareInput(CLI::App& command, Input& input);
    void declareFiles(CLI::App& command);
    std::vector<ResponseJson> setByFlags(const std::string& place) const;
    std::string bodyText() const;
    std::vector<std::string> valuesOf(const Input& input) const;

    const ResponseJson& _row;
    std::vector<Input> _inputs;
    std::map<std::string, bool> _flags; ///< by option
};

} // namespace supplierd::host
