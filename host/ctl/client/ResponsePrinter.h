#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <map>
#include <string>
#include <string_view>

namespace supplierd::host {

class ControlContext;

/// What stands at "supplier.name"; null when nothing does.
const ResponseJson& valueAt(const ResponseJson& data, std::string_view path);
/// Of such a value, on one line; "" for null.
std::string textAt(const ResponseJson& data, std::string_view path);

/// The name of the list of objects in an answer; "" when there is none.
std::string listIn(const ResponseJson& data);

/// Whether `data` is as the `if` of a row wants it: "status=new", "url^=/" for a beginning, "clean" for what is there
/// and neither 0, false nor empty.
bool holds(const ResponseJson& data, const std::string& condition);

/// Replaces each `{path}` of a sentence by what stands there in `data`, or was given for that parameter.
std::string filledIn(std::string_view sentence, const ResponseJson& data,
                     const std::map<std::string, std::string>& given);

/// Prints the `data` of an answer as the row of its command says.
class ResponsePrinter {
public:
    ResponsePrinter(ControlContext& context, const ResponseJson& row, const std::map<std::string, std::string>& given)
        : _context(context), _row(row), _given(given) {}

    /// False when the answer says that not everything was done: exit code 1.
    bool print(const ResponseJson& data) const;

private:
    void printText(const ResponseJson& data) const;
    void printSentence(const ResponseJson& data) const;
    void printEmpty(const ResponseJson& data) const;
    void printFailures(const ResponseJson& items) const;
    void printTable(const ResponseJson& items, const ResponseJson& columns) const;
    void printHints(const ResponseJson& data) const;
    void printPlace(const ResponseJson& data) const;

    ControlContext& _context;
    const ResponseJson& _row;
    const std::map<std::string, std::string>& _given;
};

/// What changed between two objects: "status: verified -> suspended"; without a former one what there is now.
std::string describeChange(const ResponseJson& before, const ResponseJson& after);

} // namespace supplierd::host
