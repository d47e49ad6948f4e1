#include "host/gate/tls/TlsCertificate.h"

#include <Poco/Net/IPAddress.h>

#include <fmt/chrono.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

namespace supplierd::host {

namespace {

constexpr std::int64_t DAY = 86'400;

std::string textOf(const ASN1_STRING& text) {
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, &text);
    std::string copy = size < 0 ? std::string() : std::string(reinterpret_cast<const char*>(utf8), std::size_t(size));
    OPENSSL_free(utf8);
    return copy;
}

std::string nameOf(const GENERAL_NAME& name) {
    if (name.type == GEN_DNS)
        return textOf(*name.d.dNSName);
    const auto size = name.type == GEN_IPADD ? ASN1_STRING_length(name.d.iPAddress) : 0;
    if (size != 4 && size != 16)
        return {};
    return Poco::Net::IPAddress(ASN1_STRING_get0_data(name.d.iPAddress), static_cast<poco_socklen_t>(size)).toString();
}

std::string alternativeNames(const X509& certificate) {
    const auto release = [](GENERAL_NAMES* names) { GENERAL_NAMES_free(names); };
    const std::unique_ptr<GENERAL_NAMES, decltype(release)> names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)), release);
    std::string all;
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i)
        if (const auto name = nameOf(*sk_GENERAL_NAME_value(names.get(), i)); !name.empty())
            all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::string commonName(const X509& certificate) {
    const X509_NAME* const subject = X509_get_subject_name(&certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    return at < 0 ? std::string("nobody") : textOf(*X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

} // namespace

TlsCertificate TlsCertificate::of(const X509& certificate) {
    TlsCertificate found;
    found.names = alternativeNames(certificate);
    if (found.names.empty())
        found.names = commonName(certificate);
    std::tm end{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) == 1)
        found.expiresAt = static_cast<std::int64_t>(::timegm(&end));
    ERR_clear_error();
    return found;
}

std::string TlsCertificate::expiry() const {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(expiresAt)));
}

std::string TlsCertificate::expiryProblem(std::int64_t now) const {
    if (hasExpired(now))
        return fmt::format("the certificate of {} has expired on {}: clients refuse it; renew it", names, expiry());
    if (expiresAt - now < WARNED_DAYS * DAY)
        return fmt::format("the certificate of {} expires on {}, in {} days; renew it", names, expiry(),
                           (expiresAt - now) / DAY);
    return {};
}

} // namespace supplierd::host
