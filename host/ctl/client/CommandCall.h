#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace supplierd::host {

class ControlContext;

/// One command of a server's table: what was typed for it becomes a request, and the answer is printed. Lifetime: as
/// long as the command line. Thread: one.
class CommandCall {
public:
    CommandCall(ControlContext& context, AnswerJson row) : _context(context), _row(std::move(row)) {}

    /// Gives the command its arguments and options.
    void declare(CLI::App& command);
    /// Throws CommandFailure, and ReportedFailure once everything was said and not all is well.
    void run();

private:
    struct Input {
        const AnswerJson& rule;
        std::vector<std::string> values;
        bool isSet = false; ///< of a flag
    };

    void declareInput(CLI::App& command, Input& input);
    void declareFiles(CLI::App& command);
    void requireOption() const;
    void confirm();
    /// Several requests for `each`.
    void runEach();
    void runOnce(const std::map<std::string, std::string>& places);
    AnswerJson send(const std::map<std::string, std::string>& places);
    AnswerJson sendInPieces(ServerRequest request);
    AnswerJson sendForAllPages(ServerRequest request);
    void save(ServerRequest& request);

    std::map<std::string, std::string> placesOf(const std::string& each) const;
    std::vector<AnswerJson> setByFlags(const std::string& place) const;
    /// What the person calls what the API takes.
    std::map<std::string, std::string> namesOfFields() const;
    std::string pathFor(const std::map<std::string, std::string>& places) const;
    std::string bodyText() const;
    std::vector<std::string> valuesOf(const Input& input) const;

    ControlContext& _context;
    const AnswerJson _row;
    std::vector<Input> _inputs;
    std::map<std::string, bool> _flags; ///< by option
    std::string _file;                  ///< of `upload` or `save`
    bool _isSure = false;
    bool _wantsAll = false;
    bool _returnsAtOnce = false;
};

} // namespace supplierd::host
