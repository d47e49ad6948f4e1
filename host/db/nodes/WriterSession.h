#pragma once

#include "host/db/SessionSettings.h"

#include <Poco/Data/Session.h>

namespace supplierd::host {

/// openSession() for settings with several nodes: asks them in failover order, and opens a session to the one that
/// chooseWriter() names. It waits for no later node once one is in step with its cluster. For commands, migrations and
/// what else asks seldom; a server has DatabaseNodes. Throws ConnectError, which says what each node lacks.
Poco::Data::Session openWriterSession(const SessionSettings& settings);

} // namespace supplierd::host
