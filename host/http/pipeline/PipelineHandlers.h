#pragma once

#include "host/gate/Refusals.h"
#include "host/http/pipeline/Pipeline.h"

#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/IPAddress.h>

#include <functional>
#include <memory>
#include <string_view>

namespace supplierd::host {

/// See Refusals::noteProxyFailure(). Thread: the gate's.
using ProxyFailureNotice = std::function<void(const Poco::Net::IPAddress& proxy, std::string_view reason)>;

/// What leads the requests of a gate through the pipeline, which must outlive it; Poco takes ownership.
Poco::Net::HTTPRequestHandlerFactory* makePipelineHandlers(Pipeline& pipeline);

/// What the gate refuses itself, answered and noted as the pipeline would.
std::unique_ptr<Refusals> makePipelineRefusals(Pipeline& pipeline, ProxyFailureNotice onProxyFailure = {});

} // namespace supplierd::host
