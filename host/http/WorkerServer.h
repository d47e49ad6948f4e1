#pragma once

#include "host/gate/Gate.h"

#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/ThreadPool.h>

#include <memory>

namespace supplierd::host {

/// Poco's HTTPServer behind a gate: up to `workers` threads of the pool, which come when they are needed and go when
/// they are not. Takes the factory over.
std::unique_ptr<Poco::Net::HTTPServer> makeWorkerServer(Poco::Net::HTTPRequestHandlerFactory* factory,
                                                        Poco::ThreadPool& threads, Gate& gate, int workers);

} // namespace supplierd::host
