#include "tests/support/TestAuthority.h"

#include "tests/support/ChildProcess.h"

#include <stdexcept>
#include <vector>

namespace supplierd::tests {

namespace {

void openssl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    const auto result = runCommand({.arguments = std::move(arguments)});
    if (result.exitCode != 0)
        throw std::runtime_error("openssl failed: " + result.errors);
}

} // namespace

TestAuthority::TestAuthority() {
    openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
             path("ca.key"), "-out", path("ca.pem"), "-subj", "/CN=Test authority", "-days", "2"});
}

LoopbackOrigin::Certificate TestAuthority::issue(const std::string& name, const std::string& names) {
    return issue(name, names, {});
}

LoopbackOrigin::Certificate TestAuthority::issue(const std::string& name, const std::string& names,
                                                 const Options& options) {
    const std::string key = path(name + ".key");
    const std::string request = path(name + ".csr");
    const std::string chain = path(name + ".pem");
    writeWholeFile(path(name + ".ext"), "subjectAltName=" + names + "\n");
    openssl({"req", "-newkey", options.isRsa ? "rsa" : "ec", "-pkeyopt",
             options.isRsa ? "rsa_keygen_bits:2048" : "ec_paramgen_curve:" + options.curve, "-nodes", "-keyout", key,
             "-out", request, "-subj", "/CN=" + name});
    if (options.days < 0)
        return issueExpired(name);
    openssl({"x509", "-req", "-in", request, "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial", "-out",
             chain, "-extfile", path(name + ".ext"), "-days", std::to_string(options.days)});
    return {chain, key};
}

/// `openssl x509` of OpenSSL 3.5 makes none that has ended, and that of 3.0 takes no dates.
LoopbackOrigin::Certificate TestAuthority::issueExpired(const std::string& name) const {
    writeWholeFile(path("ca.db"), "");
    writeWholeFile(path("ca.conf"),
                   "[ca]\ndefault_ca = here\n[here]\nrand_serial = yes\ndefault_md = sha256\npolicy = any\n"
                   "database = " +
                       path("ca.db") + "\nnew_certs_dir = " + path("") + "\n[any]\ncommonName = supplied\n");
    openssl({"ca", "-batch", "-notext", "-config", path("ca.conf"), "-cert", path("ca.pem"), "-keyfile", path("ca.key"),
             "-in", path(name + ".csr"), "-out", path(name + ".pem"), "-extfile", path(name + ".ext"), "-startdate",
             "20260101000000Z", "-enddate", "20260102000000Z"});
    return {path(name + ".pem"), path(name + ".key")};
}

} // namespace supplierd::tests
