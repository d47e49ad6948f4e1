#include "AwsSignature.h"

#include "tests/support/Test.h"

namespace supplierd::tests {

using namespace media;

/// What AWS publishes, and what RFCs say of the digests.
class AwsSignatureTest : public CppUnit::TestFixture {
protected:
    static PresignedRequest example(std::string_view method) {
        return {method,
                "https",
                "examplebucket.s3.amazonaws.com",
                "/test.txt",
                "us-east-1",
                std::chrono::sys_days(std::chrono::May / 24 / 2013),
                std::chrono::seconds(86'400)};
    }

    const AwsCredentials CREDENTIALS{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
};

TEST(AwsSignatureTest, signedUrlIsThatOfAwsExample) {
    CPPUNIT_ASSERT_EQUAL(
        std::string("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                    "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&"
                    "X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
                    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"),
        presignedUrl(example("GET"), CREDENTIALS));
}

TEST(AwsSignatureTest, signedUrlIsForItsMethodAlone) {
    CPPUNIT_ASSERT(presignedUrl(example("HEAD"), CREDENTIALS) != presignedUrl(example("GET"), CREDENTIALS));
}

TEST(AwsSignatureTest, signedFieldsAreThoseOfAwsExamples) {
    const auto day = std::chrono::sys_days(std::chrono::May / 24 / 2013);
    SignedRequest request{"GET", "examplebucket.s3.amazonaws.com", "/test.txt", "", "", "us-east-1", day};
    auto fields = signedFields(request, {"Range: bytes=0-9"}, CREDENTIALS);
    CPPUNIT_ASSERT_EQUAL(std::string("Range: bytes=0-9"), fields.front());
    CPPUNIT_ASSERT_EQUAL(std::string("Authorization: AWS4-HMAC-SHA256 "
                                     "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                                     "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature="
                                     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
                         fields.back());
    request.path = "/";
    request.query = "max-keys=2&prefix=J";
    fields = signedFields(request, {}, CREDENTIALS);
    CPPUNIT_ASSERT(fields.back().ends_with("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(AwsSignatureTest, whatIsNoLetterIsEncodedAsAwsWantsIt) {
    CPPUNIT_ASSERT_EQUAL(std::string("a%20b%2Fc%2Bd%3D~-_.%C3%A4"), awsEncoded("a b/c+d=~-_.\xC3\xA4"));
}

TEST(AwsSignatureTest, digestsAreThoseOfTheirSpecifications) {
    CPPUNIT_ASSERT_EQUAL(std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                         sha256Hex(""));
    CPPUNIT_ASSERT_EQUAL(std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
                         sha256Hex("abc"));
    CPPUNIT_ASSERT_EQUAL(std::string("900150983cd24fb0d6963f7d28e17f72"), md5Hex("abc"));
    CPPUNIT_ASSERT_EQUAL(std::string("kAFQmDzST7DWlj99KOF/cg=="), md5Base64("abc"));
}

} // namespace supplierd::tests
