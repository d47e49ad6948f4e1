#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace supplierd::host {

/// How handshakes of the API's listener ended, and until when its certificate is good. Thread: any. Lifetime: the
/// registry's.
class TlsMetrics {
public:
    explicit TlsMetrics(prometheus::Registry& registry)
        : TlsMetrics(
              prometheus::BuildCounter()
                  .Name("supplierd_tls_handshakes_total")
                  .Help("TLS handshakes by outcome: completed, resumed, failed (what the client sent is no TLS, too "
                        "old, or names no protocol of ours), abandoned (the client went, or took too long)")
                  .Register(registry),
              registry) {}

    prometheus::Counter& completed;
    prometheus::Counter& resumed;
    prometheus::Counter& failed;
    prometheus::Counter& abandoned;
    /// Seconds since 1970; 0 without TLS.
    prometheus::Gauge& certificateExpiry;

private:
    TlsMetrics(prometheus::Family<prometheus::Counter>& handshakes, prometheus::Registry& registry)
        : completed(handshakes.Add({{"outcome", "completed"}})),
          resumed(handshakes.Add({{"outcome", "resumed"}})),
          failed(handshakes.Add({{"outcome", "failed"}})),
          abandoned(handshakes.Add({{"outcome", "abandoned"}})),
          certificateExpiry(prometheus::BuildGauge()
                                .Name("supplierd_tls_certificate_expiry_seconds")
                                .Help("When the certificate in use ends, in seconds since 1970; 0 without TLS")
                                .Register(registry)
                                .Add({})) {}
};

} // namespace supplierd::host
