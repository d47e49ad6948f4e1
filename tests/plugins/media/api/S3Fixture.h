#pragma once

#include "MediaFixture.h"
#include "S3Server.h"

#include <map>
#include <string>

namespace supplierd::tests {

/// Keys of [plugins.media] and of [plugins.media.s3], and their values as they stand in the file.
struct S3Options {
    using Keys = std::map<std::string, std::string>;

    Keys media = {{"store", "\"s3\""}};
    Keys s3 = {};
};

/// A server with its images in the bucket of sharedS3Server(), or on the way there.
class S3Fixture : public MediaFixture {
public:
    using Keys = S3Options::Keys;

    explicit S3Fixture(const S3Options& options = {})
        : MediaFixture({.settings = options.media, .configuration = tableOf(options.s3)}) {}

    /// Writes another configuration; restarts the server with it when it runs.
    void configure(const Keys& keys, const Keys& s3 = {}, bool restarts = true);

    static S3Server& bucket() { return sharedS3Server(); }
    /// supplierctl with --json; fails unless it ends with that code.
    Json control(std::vector<std::string> arguments, int exitCode = 0);
    /// The same as it is for people: what it says on both outputs.
    std::string controlText(std::vector<std::string> arguments, int exitCode);

    /// Fails unless exactly the files of all images are in the bucket.
    void requireAllInBucket();

private:
    static std::string tableOf(const Keys& s3);
};

} // namespace supplierd::tests
