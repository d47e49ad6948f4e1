#include "TlsContext.h"

#include <Poco/Exception.h>

#include <openssl/ssl.h>

#include <array>

namespace supplierd::media {

void TlsContext::Free::operator()(ssl_ctx_st* context) const {
    ::SSL_CTX_free(context);
}

TlsContext::TlsContext(const std::filesystem::path& trusted) : _context(::SSL_CTX_new(::TLS_client_method())) {
    if (!_context)
        throw Poco::RuntimeException("cannot initialise OpenSSL");
    ::SSL_CTX_set_min_proto_version(get(), TLS1_2_VERSION);
    ::SSL_CTX_set_verify(get(), SSL_VERIFY_PEER, nullptr);
    ::SSL_CTX_set_session_cache_mode(get(), SSL_SESS_CACHE_OFF);
    constexpr std::array<unsigned char, 9> HTTP_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    ::SSL_CTX_set_alpn_protos(get(), HTTP_1_1.data(), HTTP_1_1.size());
    const int result = trusted.empty() ? ::SSL_CTX_set_default_verify_paths(get())
                                       : ::SSL_CTX_load_verify_file(get(), trusted.c_str());
    if (result != 1)
        throw Poco::FileException("cannot read the trusted certificates", trusted.string());
}

} // namespace supplierd::media
