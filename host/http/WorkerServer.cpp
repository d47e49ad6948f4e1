#include "host/http/WorkerServer.h"

#include "host/gate/WorkerSocket.h"

#include <Poco/Net/HTTPServerParams.h>

namespace supplierd::host {

std::unique_ptr<Poco::Net::HTTPServer> makeWorkerServer(Poco::Net::HTTPRequestHandlerFactory* factory,
                                                        Poco::ThreadPool& threads, Gate& gate, int workers) {
    /// For so long a worker without work stays.
    const Poco::Timespan idle(30, 0);
    Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
    params->setMaxThreads(workers);
    params->setMaxQueued(workers + 1); // of the workers' own connections; requests wait at the gate
    params->setKeepAlive(true);
    params->setKeepAliveTimeout(idle);
    params->setTimeout(idle);
    return std::make_unique<Poco::Net::HTTPServer>(Poco::Net::HTTPRequestHandlerFactory::Ptr(factory), threads,
                                                   WorkerServerSocket(gate), params);
}

} // namespace supplierd::host
