#include "host/outbound/TrustedCertificates.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <new>
#include <stdexcept>
#include <string>

namespace supplierd::host {

void TrustedCertificates::Free::operator()(x509_store_st* store) const {
    ::X509_STORE_free(store);
}

TrustedCertificates::TrustedCertificates(const std::filesystem::path& file) : _store(::X509_STORE_new()) {
    if (!_store)
        throw std::bad_alloc();
    const int result = file.empty() ? ::X509_STORE_set_default_paths(_store.get())
                                    : ::X509_STORE_load_file(_store.get(), file.c_str());
    if (result != 1)
        throw std::runtime_error("cannot read the trusted certificates " + file.string());
}

bool TrustedCertificates::require(ssl_ctx_st* context, const UrlHost& host) const {
    ::SSL_CTX_set1_cert_store(context, _store.get());
    X509_VERIFY_PARAM* const parameters = ::SSL_CTX_get0_param(context);
    ::X509_VERIFY_PARAM_set_hostflags(parameters,
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const std::string& name = host.text();
    return host.address() ? ::X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) == 1
                          : ::X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size()) == 1;
}

} // namespace supplierd::host
