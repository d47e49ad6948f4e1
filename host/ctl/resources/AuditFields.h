#pragma once

#include <supplierd/JsonWriter.h>

#include <string>

namespace supplierd::host {

/// `{ … }` for AuditEntry::before and after; `write` writes what stands between the braces.
template <class Write>
std::string auditFields(const Write& write) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    write(json);
    json.endObject();
    return text;
}

} // namespace supplierd::host
